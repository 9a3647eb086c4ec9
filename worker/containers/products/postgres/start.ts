// Starts PostgreSQL: creates the first database and its owner, and prints the server's messages.
import type { Task } from "../../../../shared/shell/task.ts";
import { SqlServer } from "../../databases/connection.ts";
import type { Line } from "../../databases/data.ts";
import { fill, variable } from "../../databases/start.ts";
import { versionOfImage, type Versions } from "../../images/known-image.ts";
import { listenAs } from "../../shell/listen.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { postgresDialect } from "./dialect.ts";

export const versions: Versions = {
  newest: "18.1",
  fullByPrefix: { "13": "13.23", "14": "14.20", "15": "15.15", "16": "16.11", "17": "17.7", "18": "18.1" },
};

export function* startPostgres(call: ProgramCall): Task<number> {
  const { process, err, out, shell } = call;
  const version = versionOfImage(process.self.image, versions);
  const path = `${variable(call, "PGDATA") ?? "/var/lib/postgresql/data"}/base/1`;
  const stamp = () => `${new Date(process.clockMs).toISOString().replace("T", " ").replace("Z", "")} UTC [1] LOG:  `;
  const password = variable(call, "POSTGRES_PASSWORD");
  const trusts = variable(call, "POSTGRES_HOST_AUTH_METHOD") === "trust";
  const user = variable(call, "POSTGRES_USER") ?? "postgres";
  const server = new SqlServer(postgresDialect, path, version);
  const isNew = process.files.get(path)?.text === undefined;
  if (isNew && !password && !trusts) {
    err(needs);
    return 1;
  }
  if (isNew) {
    const database = variable(call, "POSTGRES_DB") ?? user;
    out(initLog);
    const lines: Line[] = [{ user, password: trusts ? null : (password ?? ""), isAdmin: true }];
    for (const name of new Set(["postgres", database])) lines.push({ database: name, owner: user });
    const client = ["psql", "-v", "ON_ERROR_STOP=1", "--no-password", "-U", user, "-d", database];
    shell.variables.set("POSTGRES_USER", user);
    shell.variables.set("POSTGRES_DB", database);
    const code = yield* fill(call, { server, path, lines }, client);
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
  return yield* listenAs(call, server, [5432]);
}

const needs = `Error: Database is uninitialized and superuser password is not specified.
       You must specify POSTGRES_PASSWORD to a non-empty value for the
       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".

       You may also use "POSTGRES_HOST_AUTH_METHOD=trust" to allow all
       connections without a password. This is *not* recommended.

       See PostgreSQL documentation about "trust":
       https://www.postgresql.org/docs/current/auth-trust.html
`;

const initLog = `The files belonging to this database system will be owned by user "postgres".
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
