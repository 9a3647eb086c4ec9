// Database servers as they start: a new data folder is filled from the variables and the scripts, an old one is taken as it is.
import type { Task } from "../../../shared/shell/task.ts";
import { edit, type Process } from "../shell/process.ts";
import { serve } from "../shell/from-outside.ts";
import type { ProgramCall, Programs } from "../shell/program.ts";
import { serverWith } from "../shell/programs/page.ts";
import { type Line, lineText } from "./data.ts";
import { inner } from "../shell/inner.ts";
import type { DialectName } from "./server.ts";

/** What a server's name tells of it: see `serverWith`. */
export type ServerWords = readonly [path: string, version: string];

export const databasePrograms: Programs = {
  postgres: startPostgres,
  mysqld: (call) => startMysql(call, "MySQL"),
  mariadbd: (call) => startMysql(call, "MariaDB"),
};

/** The dialect of a server by its name; undefined for others. */
export function dialectOf(server: string): DialectName | undefined {
  if (server === "postgres") return "postgres";
  return server === "mysqld" || server === "mariadbd" ? "mysql" : undefined;
}

const versions: Readonly<Record<string, string>> = { postgres: "18.1", MySQL: "9.5.0", MariaDB: "12.1.2-MariaDB" };
const wholeVersions: Readonly<Record<string, string>> = {
  "13": "13.23",
  "14": "14.20",
  "15": "15.15",
  "16": "16.11",
  "17": "17.7",
  "5.7": "5.7.44",
  "8": "8.4.7",
  "8.0": "8.0.44",
  "8.4": "8.4.7",
  "10.11": "10.11.15-MariaDB",
  "11": "11.8.5-MariaDB",
  "11.4": "11.4.9-MariaDB",
};

/** The one that is made up where it is asked for. */
const randomPassword = "b2VLZ0xpNGVnaGllN3Vl";

/** As the image's tag says, or the newest. */
function versionOf({ self: { image } }: Process, name: string): string {
  const [, tag = ""] = /:v?(\d+(?:\.\d+)*)/.exec(image.slice(image.lastIndexOf("/") + 1)) ?? [];
  const whole = Object.hasOwn(wholeVersions, tag) ? wholeVersions[tag] : undefined;
  return whole ?? (/^\d+\.\d+/.test(tag) ? tag : (versions[name] ?? ""));
}

function variable({ shell, process }: ProgramCall, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = shell.variables.get(name);
    if (value !== undefined) return value;
    const file = shell.variables.get(`${name}_FILE`);
    const text = file === undefined ? undefined : process.files.get(file)?.text;
    if (text !== undefined) return text.trimEnd();
  }
  return undefined;
}

function* startPostgres(call: ProgramCall): Task<number> {
  const { process, err, out, shell } = call;
  const version = versionOf(process, "postgres");
  const path = `${variable(call, "PGDATA") ?? "/var/lib/postgresql/data"}/base/1`;
  const stamp = () => `${new Date(process.clockMs).toISOString().replace("T", " ").replace("Z", "")} UTC [1] LOG:  `;
  const password = variable(call, "POSTGRES_PASSWORD");
  const trusts = variable(call, "POSTGRES_HOST_AUTH_METHOD") === "trust";
  const user = variable(call, "POSTGRES_USER") ?? "postgres";
  const isNew = process.files.get(path)?.text === undefined;
  if (isNew && !password && !trusts) {
    err(postgresNeeds);
    return 1;
  }
  if (isNew) {
    const database = variable(call, "POSTGRES_DB") ?? user;
    out(postgresInit);
    const lines: Line[] = [{ user, password: trusts ? null : (password ?? ""), isAdmin: true }];
    for (const name of new Set(["postgres", database])) lines.push({ database: name, owner: user });
    const client = ["psql", "-v", "ON_ERROR_STOP=1", "--no-password", "-U", user, "-d", database];
    shell.variables.set("POSTGRES_USER", user);
    shell.variables.set("POSTGRES_DB", database);
    const code = yield* fill(call, { server: "postgres", path, version, lines }, client);
    if (code !== 0) return code;
    out("\nPostgreSQL init process complete; ready for start up.\n\n");
  } else out("\nPostgreSQL Database directory appears to contain a database; Skipping initialization\n\n");
  err(
    `${stamp()}starting PostgreSQL ${version} (Debian ${version}-1.pgdg13+1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 14.2.0-19) 14.2.0, 64-bit\n`,
  );
  err(
    `${stamp()}listening on IPv4 address "0.0.0.0", port 5432\n${stamp()}listening on IPv6 address "::", port 5432\n`,
  );
  err(
    `${stamp()}listening on Unix socket "/var/run/postgresql/.s.PGSQL.5432"\n${stamp()}database system is ready to accept connections\n`,
  );
  return yield* listen(call, "postgres", [path, version], [5432]);
}

function* startMysql(call: ProgramCall, name: "MySQL" | "MariaDB"): Task<number> {
  const { process, err, out } = call;
  const version = versionOf(process, name);
  const prefix = name === "MySQL" ? "MYSQL" : "MARIADB";
  const named = (what: string) => variable(call, `${prefix}_${what}`, `MYSQL_${what}`);
  const path = "/var/lib/mysql/ibdata1";
  const root = named("ROOT_PASSWORD");
  const isOpen = Boolean(named("ALLOW_EMPTY_PASSWORD") ?? named("ALLOW_EMPTY_ROOT_PASSWORD"));
  const isRandom = Boolean(named("RANDOM_ROOT_PASSWORD"));
  const isNew = process.files.get(path)?.text === undefined;
  const program = name === "MySQL" ? "mysqld" : "mariadbd";
  const note = (kind: string, text: string) =>
    `${new Date(process.clockMs).toISOString().slice(0, 19).replace("T", " ")}+00:00 [${kind}] [Entrypoint]: ${text}\n`;
  out(note("Note", `Entrypoint script for ${name} Server ${version} started.`));
  if (isNew && !root && !isOpen && !isRandom) {
    err(
      note(
        "ERROR",
        `Database is uninitialized and password option is not specified\n    You need to specify one of the following as an environment variable:\n    - ${prefix}_ROOT_PASSWORD\n    - ${prefix}_ALLOW_EMPTY_${name === "MySQL" ? "" : "ROOT_"}PASSWORD\n    - ${prefix}_RANDOM_ROOT_PASSWORD`,
      ),
    );
    return 1;
  }
  if (isNew) {
    out(note("Note", "Initializing database files"));
    const lines: Line[] = [{ user: "root", password: root ?? (isRandom ? randomPassword : ""), isAdmin: true }];
    const database = named("DATABASE");
    const user = named("USER");
    if (database) lines.push({ database, owner: "root" });
    if (user) lines.push({ user, password: named("PASSWORD") ?? "" });
    if (user && database) lines.push({ grant: user, on: `${database}.*`, privileges: ["ALL"] });
    if (isRandom && !root) out(note("Note", `GENERATED ROOT PASSWORD: ${randomPassword}`));
    const password = root || isRandom ? [`--password=${root ?? randomPassword}`] : [];
    const client = [name === "MySQL" ? "mysql" : "mariadb", "-uroot", ...password, ...(database ? [database] : [])];
    const code = yield* fill(call, { server: program, path, version, lines }, client);
    if (code !== 0) return code;
    out(note("Note", `${name} init process done. Ready for start up.`));
  }
  const time = `${new Date(process.clockMs).toISOString().replace("Z", "000Z")} 0`;
  const ready =
    name === "MySQL"
      ? `/usr/sbin/${program}: ready for connections. Version: '${version}'  socket: '/var/run/mysqld/mysqld.sock'  port: 3306  MySQL Community Server - GPL.`
      : `${program}: ready for connections.\nVersion: '${version}-ubu2404'  socket: '/run/mysqld/mysqld.sock'  port: 3306  mariadb.org binary distribution`;
  err(
    name === "MySQL"
      ? `${time} [System] [MY-010116] [Server] /usr/sbin/mysqld (mysqld ${version}) starting as process 1\n${time} [System] [MY-010931] [Server] ${ready}\n`
      : `${time} [Note] ${ready}\n`,
  );
  return yield* listen(call, program, [path, version], name === "MySQL" ? [3306, 33060] : [3306]);
}

/** The new data, and what the scripts of the image's folder make of it, in the order of their names. The code of the first that fails. */
function* fill(call: ProgramCall, { server, path, version, lines }: Fresh, client: readonly string[]): Task<number> {
  const { process, out, shell } = call;
  edit(process, { path, text: lines.map(lineText).join("") });
  process.server ??= serverWith(server, [path, version]);
  const folder = "/docker-entrypoint-initdb.d";
  for (const name of process.files.names(folder)) {
    const file = `${folder}/${name}`;
    const text = process.files.get(file)?.text;
    const isKnown = /\.(sql|sh)$/.test(name) && text !== undefined;
    if (text === undefined) continue;
    const does = isKnown ? (name.endsWith(".sh") ? "sourcing" : "running") : "ignoring";
    out(`\n/usr/local/bin/docker-entrypoint.sh: ${does} ${file}\n`);
    const own = { ...inner(call), input: { rest: name.endsWith(".sql") ? text : "" } };
    if (name.endsWith(".sql")) yield* shell.run(own, client);
    else if (isKnown) yield* shell.runText(own, text);
    if (process.paused) return 0;
    if (isKnown && own.exitCode !== 0) return own.exitCode;
  }
  return 0;
}

/** A data folder that is new. */
interface Fresh {
  readonly server: string;
  readonly path: string;
  readonly version: string;
  readonly lines: readonly Line[];
}

function* listen(
  { process, shell }: ProgramCall,
  name: string,
  words: ServerWords,
  ports: readonly number[],
): Task<number> {
  for (const port of ports) process.ports.set(port, process.clockMs);
  process.server ??= serverWith(name, words);
  process.heedsTerm = shell.own;
  return yield* serve(process);
}

const postgresNeeds = `Error: Database is uninitialized and superuser password is not specified.
       You must specify POSTGRES_PASSWORD to a non-empty value for the
       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".

       You may also use "POSTGRES_HOST_AUTH_METHOD=trust" to allow all
       connections without a password. This is *not* recommended.

       See PostgreSQL documentation about "trust":
       https://www.postgresql.org/docs/current/auth-trust.html
`;

const postgresInit = `The files belonging to this database system will be owned by user "postgres".
This user must also own the server process.

The database cluster will be initialized with locale "en_US.utf8".
The default database encoding has accordingly been set to "UTF8".
The default text search configuration will be set to "english".

Data page checksums are enabled.

creating subdirectories ... ok
selecting dynamic shared memory implementation ... posix
selecting default "max_connections" ... 100
selecting default "shared_buffers" ... 128MB
selecting default time zone ... Etc/UTC
creating configuration files ... ok
running bootstrap script ... ok
performing post-bootstrap initialization ... ok
syncing data to disk ... ok

Success.
`;
