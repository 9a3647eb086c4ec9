// Starts MySQL and MariaDB: creates the first database and its users, and prints the server's messages.
import type { Task } from "../../../../shared/shell/task.ts";
import { SqlServer } from "../../databases/connection.ts";
import type { Line } from "../../databases/data.ts";
import { fill, variable } from "../../databases/start.ts";
import { versionOfImage, type Versions } from "../../images/known-image.ts";
import { listenAs } from "../../shell/listen.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { mysqlDialect } from "./dialect.ts";

export const versions: Readonly<Record<"MySQL" | "MariaDB", Versions>> = {
  MySQL: { newest: "9.5.0", fullByPrefix: { "5.7": "5.7.44", "8": "8.4.7", "8.0": "8.0.44", "8.4": "8.4.7" } },
  MariaDB: { newest: "12.1.2", fullByPrefix: { "10.11": "10.11.15", "11": "11.8.5", "11.4": "11.4.9" } },
};

/** The password that the server generates on request. */
const randomPassword = "b2VLZ0xpNGVnaGllN3Vl";

export function* startMysql(call: ProgramCall, name: "MySQL" | "MariaDB"): Task<number> {
  const { process, err, out } = call;
  const version = versionOfImage(process.self.image, versions[name]) + (name === "MariaDB" ? "-MariaDB" : "");
  const prefix = name === "MySQL" ? "MYSQL" : "MARIADB";
  const setting = (what: string) => variable(call, `${prefix}_${what}`, `MYSQL_${what}`);
  const path = "/var/lib/mysql/ibdata1";
  const root = setting("ROOT_PASSWORD");
  const allowsEmptyPassword = Boolean(setting("ALLOW_EMPTY_PASSWORD") ?? setting("ALLOW_EMPTY_ROOT_PASSWORD"));
  const isRandom = Boolean(setting("RANDOM_ROOT_PASSWORD"));
  const isNew = process.files.get(path)?.text === undefined;
  const server = new SqlServer(mysqlDialect, path, version);
  const program = name === "MySQL" ? "mysqld" : "mariadbd";
  const note = (kind: string, text: string) =>
    `${new Date(process.clockMs).toISOString().slice(0, 19).replace("T", " ")}+00:00 [${kind}] [Entrypoint]: ${text}\n`;
  out(note("Note", `Entrypoint script for ${name} Server ${version} started.`));
  if (isNew && !root && !allowsEmptyPassword && !isRandom) {
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
    const database = setting("DATABASE");
    const user = setting("USER");
    if (database) lines.push({ database, owner: "root" });
    if (user) lines.push({ user, password: setting("PASSWORD") ?? "" });
    if (isRandom && !root) out(note("Note", `GENERATED ROOT PASSWORD: ${randomPassword}`));
    const password = root || isRandom ? [`--password=${root ?? randomPassword}`] : [];
    const client = [name === "MySQL" ? "mysql" : "mariadb", "-uroot", ...password, ...(database ? [database] : [])];
    const code = yield* fill(call, { server, path, lines }, client);
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
  return yield* listenAs(call, server, name === "MySQL" ? [3306, 33060] : [3306]);
}
