// How programs in Python and JavaScript reach databases: their drivers' libraries hand over what they would send by the server's own protocol.
import type { Task } from "../../../shared/shell/task.ts";
import { linesOf } from "../../../shared/shell/lines.ts";
import type { ProgramCall } from "../shell/program.ts";
import { edit } from "../shell/process.ts";
import { absolute } from "../shell/files.ts";
import { open } from "../shell/programs/connection.ts";
import { askDatabase } from "../databases/ask.ts";
import type { Transaction } from "../databases/transactions.ts";
import { dataOf, lineText } from "../databases/data.ts";
import { heard, type Reply as RespReply, respLanguage } from "../databases/resp.ts";
import { charge } from "../../../shared/shell/meter.ts";
import { Sql } from "./sql.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type DriverArguments = { readonly [name: string]: Json };

/** A driver waits so long for a connection. */
const patienceMs = 30_000;

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A statement: `rows` with columns, `done` with a count, `error` or `refused` with a message; `lost` says why nothing came back. */
export function* sqlAnswer({ process }: ProgramCall, asked: DriverArguments): Task<Json> {
  const place = { host: textOf(asked["host"]), port: Number(asked["port"]) };
  const password = asked["password"];
  const { reply, address } = yield* askDatabase(process, place, {
    user: textOf(asked["user"]),
    password: typeof password === "string" ? password : undefined,
    database: textOf(asked["database"]),
    sql: textOf(asked["sql"]),
    // What the answer before brought.
    ...(asked["transaction"] ? { transaction: asked["transaction"] as unknown as Transaction } : {}),
  });
  if (!("reached" in reply)) return { address, ...reply } as unknown as Json;
  const { kind } = reply.reached;
  // A server of another language answers, but not in this one.
  return { kind: "lost", why: kind === "answered" || kind === "open" ? "closed" : kind, address };
}

/** A command in RESP: `[reply]`, `[null, error]`, or `[null, null, why]` if nothing came back. */
export function* respAnswer({ process }: ProgramCall, asked: DriverArguments): Task<Json> {
  const [host, port] = [textOf(asked["host"]), Number(asked["port"])];
  const command = Array.isArray(asked["command"]) ? asked["command"].map(String) : [];
  const headers = ["auth", "database"].flatMap((name) => {
    const value = asked[name];
    return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
  });
  const request = { method: "RESP", path: "/", headers, body: "", command };
  const { reached } = yield* open(process, { host, port, request, limitMs: patienceMs });
  if (reached.kind !== "answered" || reached.answer?.language !== respLanguage)
    return [null, null, reached.kind === "answered" || reached.kind === "open" ? "closed" : reached.kind];
  const reply = heard(reached.answer.body);
  if (typeof reply === "object" && "error" in reply) return [null, reply.error];
  return [plain(reply)];
}

/** The answer of a server that speaks a protocol of JSON; `{ lost, address }` if nothing came back. */
export function* jsonAnswer({ process }: ProgramCall, language: string, asked: DriverArguments): Task<Json> {
  const { to, ...body } = asked;
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
 * A statement of a file of SQLite, as `sqlite3` keeps it, or of no file, on what `before` has: lines that are not written yet. With
 * `commits` those are written, and no statement is run.
 */
export function sqliteAnswer({ process, shell }: ProgramCall, asked: DriverArguments): Json {
  const path = asked["path"] === null ? undefined : absolute(textOf(asked["path"]), shell.folder);
  const before = textOf(asked["before"]);
  if (asked["commits"] === true) {
    if (path !== undefined && before !== "") edit(process, { path, text: before, appends: true });
    return {};
  }
  const sql = textOf(asked["sql"]);
  const text = (path === undefined ? "" : (process.files.get(path)?.text ?? "")) + before;
  if (path !== undefined && process.files.get(path) === undefined) edit(process, { path, text: "" });
  charge(process, linesOf(text).length);
  const database = Sql.open(process);
  if (!database) return { error: "SQL is not simulated in this sandbox" };
  try {
    for (const one of dataOf(text).statements("main")) database.run(one.sql);
    const found = database.run(sql);
    if ("error" in found) return { error: found.error };
    const isChange = changing.test(sql);
    const line = isChange ? lineText({ sql, in: "main", atMs: process.clockMs }) : "";
    const last = isChange ? database.run("select last_insert_rowid()") : undefined;
    const id = last && !("error" in last) ? (last[0]?.rows[0]?.[0] ?? null) : null;
    const rows = found.at(-1);
    return { columns: rows?.columns ?? [], rows: rows?.rows ?? [], changes: rows?.changes ?? 0, id, line };
  } finally {
    database.close();
  }
}
