// Connects programs in Python and JavaScript to databases: the drivers' libraries hand over what they would send by the server's protocol.
import type { Task } from "../../../shared/shell/task.ts";
import { linesOf } from "../../../shared/shell/lines.ts";
import type { ProgramCall } from "../shell/program.ts";
import { edit } from "../shell/process.ts";
import { absolute } from "../shell/files.ts";
import { open } from "../shell/programs/connection.ts";
import { askDatabase } from "../databases/connection.ts";
import type { Transaction } from "../databases/transactions.ts";
import { dataOf, lineText } from "../databases/data.ts";
import { decodeReply, type Reply as RespReply, respLanguage } from "../databases/resp.ts";
import { charge } from "../../../shared/shell/meter.ts";
import { Sql } from "./sql.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type DriverArguments = { readonly [name: string]: Json };

/** The time limit of a driver's connection. */
const patienceMs = 30_000;

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Runs a statement. Returns `rows` with columns, `done` with a count, or `error` or `refused` with a message; `lost` says why no reply came. */
export function* sqlAnswer({ process }: ProgramCall, request: DriverArguments): Task<Json> {
  const place = { host: textOf(request["host"]), port: Number(request["port"]) };
  const password = request["password"];
  const { reply, address } = yield* askDatabase(process, place, {
    user: textOf(request["user"]),
    password: typeof password === "string" ? password : undefined,
    database: textOf(request["database"]),
    sql: textOf(request["sql"]),
    // The transaction of the previous reply.
    ...(request["transaction"] ? { transaction: request["transaction"] as unknown as Transaction } : {}),
  });
  if (!("reached" in reply)) return { address, ...reply } as unknown as Json;
  const { kind } = reply.reached;
  // A server of another protocol answered.
  return { kind: "lost", why: kind === "answered" || kind === "open" ? "closed" : kind, address };
}

/** Runs a command in RESP. Returns `[reply]`, `[null, error]`, or `[null, null, why]` if no reply came. */
export function* respAnswer({ process }: ProgramCall, driverArguments: DriverArguments): Task<Json> {
  const [host, port] = [textOf(driverArguments["host"]), Number(driverArguments["port"])];
  const command = Array.isArray(driverArguments["command"]) ? driverArguments["command"].map(String) : [];
  const headers = ["auth", "database"].flatMap((name) => {
    const value = driverArguments[name];
    return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
  });
  const request = { method: "RESP", path: "/", headers, body: "", command };
  const { reached } = yield* open(process, { host, port, request, limitMs: patienceMs });
  if (reached.kind !== "answered" || reached.answer?.language !== respLanguage)
    return [null, null, reached.kind === "answered" || reached.kind === "open" ? "closed" : reached.kind];
  const reply = decodeReply(reached.answer.body);
  if (typeof reply === "object" && "error" in reply) return [null, reply.error];
  return [plain(reply)];
}

/** Returns the answer of a server with a JSON protocol; `{ lost, address }` if no reply came. */
export function* jsonAnswer({ process }: ProgramCall, language: string, driverArguments: DriverArguments): Task<Json> {
  const { to, ...body } = driverArguments;
  const place = (to ?? {}) as DriverArguments;
  const request = { method: language, path: "/", headers: [], body: JSON.stringify(body) };
  const wish = { host: textOf(place["host"]), port: Number(place["port"]), request, limitMs: patienceMs };
  const { reached, address } = yield* open(process, wish);
  const { answer } = reached;
  if (reached.kind === "answered" && answer?.language === language) return JSON.parse(answer.body) as Json;
  return { lost: reached.kind, address: address ?? "" };
}

function plain(reply: RespReply): Json {
  if (reply === undefined) return null;
  if (typeof reply === "string" || typeof reply === "number") return reply;
  if (Array.isArray(reply)) return (reply as readonly RespReply[]).map(plain);
  return "status" in reply ? reply.status : null;
}

const changing = /^\s*(?!select\b|with\b|values\b|pragma\b|explain\b)/i;

/**
 * Runs a statement on a file of SQLite, as `sqlite3` writes it, or on no file. `before` has lines that are not written yet. With `commits`
 * those are written, and no statement is run.
 */
export function sqliteAnswer({ process, shell }: ProgramCall, request: DriverArguments): Json {
  const path = request["path"] === null ? undefined : absolute(textOf(request["path"]), shell.folder);
  const before = textOf(request["before"]);
  if (request["commits"] === true) {
    if (path !== undefined && before !== "") edit(process, { path, text: before, appends: true });
    return {};
  }
  const sql = textOf(request["sql"]);
  const text = (path === undefined ? "" : (process.files.get(path)?.text ?? "")) + before;
  if (path !== undefined && process.files.get(path) === undefined) edit(process, { path, text: "" });
  charge(process, linesOf(text).length);
  const database = Sql.open(process);
  if (!database) return { error: "SQL is not simulated in this sandbox" };
  try {
    for (const statement of dataOf(text).statements("main")) database.run(statement.sql);
    const results = database.run(sql);
    if ("error" in results) return { error: results.error };
    const isChange = changing.test(sql);
    const line = isChange ? lineText({ sql, in: "main", atMs: process.clockMs }) : "";
    const last = isChange ? database.run("select last_insert_rowid()") : undefined;
    const id = last && !("error" in last) ? (last[0]?.rows[0]?.[0] ?? null) : null;
    const rows = results.at(-1);
    return { columns: rows?.columns ?? [], rows: rows?.rows ?? [], changes: rows?.changes ?? 0, id, line };
  } finally {
    database.close();
  }
}
