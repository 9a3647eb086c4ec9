// How a client asks a database server, and how the server is asked: a request whose method no other server knows.
import type { Task } from "../../../shared/shell/task.ts";
import { stableHex } from "../../../shared/base/stable.ts";
import type { PortRequest, ServerAnswer } from "../../../shared/k8s/port-request.ts";
import { edit, type Process } from "../shell/process.ts";
import { type Opened, open } from "../shell/programs/connection.ts";
import { serverParts } from "../shell/programs/page.ts";
import type { SqlRequest, Reply } from "./dialect.ts";
import { dialectOf } from "./start.ts";
import { type DatabaseVisit, replied } from "./server.ts";

const method = "SQL";
/** A client that says nothing else waits so long. */
const patienceMs = 133_000;

export interface Answered {
  readonly answer: ServerAnswer;
  /** What is to be written at the end of a file of the server's. */
  readonly edit?: { readonly path: string; readonly text: string; readonly appends: true };
  readonly work: number;
}

/** What a server says; undefined if it is no database, or is asked something else. */
export function databaseAnswer(
  server: string,
  request: PortRequest,
  { files, from, nowMs, number }: DatabaseVisit,
): Answered | undefined {
  const { name, words } = serverParts(server);
  const dialect = dialectOf(name);
  const [path = "", version = ""] = words;
  if (dialect === undefined || request.method !== method) return undefined;
  // `askDatabase` wrote it.
  const asked = JSON.parse(request.body) as SqlRequest;
  const { reply, more, work } = replied(dialect, { files, path, version, from, nowMs, number }, asked);
  const answer = { status: 200, contentType: "application/json", body: JSON.stringify(reply), server };
  return { answer, work, ...(more === "" ? {} : { edit: { path, text: more, appends: true } }) };
}

export interface Asking {
  /** What comes of asking, or of the connection. */
  readonly reply: Reply | Opened;
  /** "" where the name has none. */
  readonly address: string;
}

export function* askDatabase(
  process: Process,
  { host, port }: { readonly host: string; readonly port: number },
  asked: SqlRequest,
): Task<Asking> {
  const own = ownAnswer(process, host, asked);
  if (own) return { reply: own, address: "127.0.0.1" };
  const request = { method, path: `/${stableHex(asked.sql, 8)}`, headers: [], body: JSON.stringify(asked) };
  const opened = yield* open(process, { host, port, request, limitMs: patienceMs });
  const { answer } = opened.reached;
  // `databaseAnswer` wrote it.
  const reply =
    opened.reached.kind === "answered" && answer?.contentType === "application/json"
      ? (JSON.parse(answer.body) as Reply)
      : opened;
  return { reply, address: opened.address ?? "" };
}

/** What the server says that the process itself is, which has just been started: its scripts fill it. */
function ownAnswer(process: Process, host: string, asked: SqlRequest): Reply | undefined {
  const { name, words } = serverParts(process.server ?? "");
  const dialect = dialectOf(name);
  const [path = "", version = ""] = words;
  if (dialect === undefined || host !== "127.0.0.1" || process.beside?.server !== undefined) return undefined;
  const { files, clockMs: nowMs } = process;
  // Each is written at the end, so that no two find it as long.
  const number = files.get(path)?.text?.length ?? 0;
  const { reply, more } = replied(dialect, { files, path, version, from: host, nowMs, number }, asked);
  if (more !== "") edit(process, { path, text: more, appends: true });
  return reply;
}
