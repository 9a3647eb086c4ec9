// The connection of PostgreSQL's client programs: the destination, and the session with its transaction.
import type { Task } from "../../../../shared/shell/task.ts";
import { before } from "../../../../shared/base/trim.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { OptionNames } from "../../shell/programs/long-options.ts";
import type { Opened } from "../../shell/programs/connection.ts";
import { askDatabase } from "../../databases/connection.ts";
import type { Reply } from "../../databases/dialect.ts";
import type { Transaction } from "../../databases/transactions.ts";

/** The server and the user of a connection. */
export interface Destination {
  /** Undefined for the container's own socket. */
  readonly host: string | undefined;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
}

/** The options of all clients that name the server and the user. */
export const serverOptions: OptionNames = { h: "host=", p: "port=", U: "username=" };

/** Returns the destination from options, a URL, a connection string or the environment. `value`: returns the value of a long option. */
export function destinationOf(
  { shell }: ProgramCall,
  value: (name: string) => string | undefined,
  rest: readonly string[],
): Destination {
  const named = value("dbname") ?? rest[0] ?? "";
  const url = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@]*))?@)?([^:/]*)(?::(\d+))?(?:\/([^?]*))?/.exec(named);
  const pairs = named
    .split(/\s+/)
    .map((pair) => [before(pair, "="), pair.slice(before(pair, "=").length + 1)] as const);
  const words = url === null && named.includes("=") ? new Map(pairs) : undefined;
  const variable = (name: string) => shell.variables.get(name) || undefined;
  const defaultUser = shell.process.self.uid === 0 ? "root" : "postgres";
  const user = url?.[1] || words?.get("user") || value("username") || rest[1] || variable("PGUSER") || defaultUser;
  const database = url ? url[5] : words ? words.get("dbname") : named;
  return {
    host: url?.[3] ?? words?.get("host") ?? value("host") ?? variable("PGHOST"),
    port: Number(url?.[4] ?? words?.get("port") ?? value("port") ?? variable("PGPORT") ?? 5432),
    user,
    password: url?.[2] ?? words?.get("password") ?? variable("PGPASSWORD"),
    database: database || variable("PGDATABASE") || user,
  };
}

export class PostgresClient {
  readonly call: ProgramCall;
  readonly to: Destination;
  database: string;
  version = "18.1";
  protected transaction: Transaction | undefined;

  constructor(call: ProgramCall, to: Destination) {
    this.call = call;
    this.to = to;
    this.database = to.database;
  }

  get user(): string {
    return this.to.user;
  }

  *connected(database = this.database): Task<boolean> {
    this.transaction = undefined;
    const reply = yield* this.ask("show server_version", database);
    if (reply.kind === "refused") this.call.err(`${this.call.name}: error: ${this.place} failed: ${reason(reply)}\n`);
    if (reply.kind !== "rows") return false;
    this.database = database;
    this.version = String(reply.rows[0]?.[0]);
    return true;
  }

  get place(): string {
    const { host, port } = this.to;
    if (host === undefined || host.startsWith("/"))
      return `connection to server on socket "/var/run/postgresql/.s.PGSQL.${port}"`;
    return `connection to server at "${host}" (${this.#address}), port ${port}`;
  }

  #address = "";

  *ask(sql: string, database = this.database): Task<Reply | { readonly kind: "lost" }> {
    const { host, port, user, password } = this.to;
    const { process, err } = this.call;
    const isLocal = host === undefined || host.startsWith("/");
    const place = { host: isLocal ? "127.0.0.1" : host, port };
    const transaction = this.transaction;
    const request = { user, password, database, sql, ...(transaction ? { transaction } : {}) };
    const { reply, address } = yield* askDatabase(process, place, request);
    this.#address = address;
    if (!("reached" in reply)) {
      this.transaction = reply.transaction;
      return reply;
    }
    if (!process.paused) err(`${this.call.name}: error: ${this.#lost(reply)}\n`);
    return { kind: "lost" };
  }

  #lost({ reached }: Opened): string {
    const { host = "" } = this.to;
    if (reached.kind === "unresolved")
      return `could not translate host name "${host}" to address: Name or service not known`;
    const isLocal = this.place.includes("socket");
    if (isLocal)
      return `${this.place} failed: No such file or directory\n\tIs the server running locally and accepting connections on that socket?`;
    const why =
      reached.kind === "refused"
        ? "Connection refused"
        : reached.kind === "unreachable"
          ? "No route to host"
          : "Connection timed out";
    return `${this.place} failed: ${why}\n\tIs the server running on that host and accepting TCP/IP connections?`;
  }
}

function reason({ code, message }: Extract<Reply, { readonly kind: "refused" }>): string {
  return code === "fe_sendauth" ? `fe_sendauth: ${message}` : `FATAL:  ${message}`;
}
