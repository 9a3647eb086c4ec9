// How a client asks a database server, and how the server is asked: a request whose method no other server knows.
import type { Task } from "../../../shared/shell/task.ts";
import { stableHex } from "../../../shared/base/stable.ts";
import type { Files } from "../shell/files.ts";
import { edit, type Process } from "../shell/process.ts";
import { type Opened, open } from "../shell/programs/connection.ts";
import { mutePage, type Page, type Server, type Visit } from "../shell/server.ts";
import type { Dialect, SqlRequest, Reply } from "./dialect.ts";
import { type DatabaseVisit, replied } from "./server.ts";

/** The name of the protocol in requests and answers. */
export const sqlLanguage = "sql";
/** A client that says nothing else waits so long. */
const patienceMs = 133_000;

/** A database server that listens: it answers statements that come over the network. */
export class SqlServer implements Server {
  readonly needsNetwork = true;
  readonly #dialect: Dialect;
  readonly #path: string;
  readonly #version: string;

  /** `path`: the file of the server's data. */
  constructor(dialect: Dialect, path: string, version: string) {
    this.#dialect = dialect;
    this.#path = path;
    this.#version = version;
  }

  answer(visit: Visit): Page {
    if (visit.method !== sqlLanguage) return mutePage(visit);
    const { files, from = "", nowMs, number = 0 } = visit;
    // `askDatabase` wrote it.
    const { reply, edits, work } = this.reply({ files, from, nowMs, number }, JSON.parse(visit.body) as SqlRequest);
    visit.pays?.(work);
    return { contentType: "application/json", body: JSON.stringify(reply), language: sqlLanguage, edits };
  }

  reply(visit: DatabaseVisit, asked: SqlRequest) {
    const [path, version] = [this.#path, this.#version];
    const { reply, more, work } = replied(this.#dialect, { ...visit, path, version }, asked);
    const edits = more === "" ? [] : [{ path, text: more, appends: true as const }];
    return { reply, edits, work };
  }

  /** Returns the number that tells a statement from those before it: each writes at the end of the data. */
  numberIn(files: Files): number {
    return files.get(this.#path)?.text?.length ?? 0;
  }
}

export interface Asking {
  /** The reply, or the outcome of the connection. */
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
  const request = {
    method: sqlLanguage,
    path: `/${stableHex(asked.sql, 8)}`,
    headers: [],
    body: JSON.stringify(asked),
  };
  const opened = yield* open(process, { host, port, request, limitMs: patienceMs });
  const { answer } = opened.reached;
  // `SqlServer` wrote it.
  const reply =
    opened.reached.kind === "answered" && answer?.language === sqlLanguage
      ? (JSON.parse(answer.body) as Reply)
      : opened;
  return { reply, address: opened.address ?? "" };
}

/** Returns the reply of the server that the process itself has just become: its scripts fill it. */
function ownAnswer(process: Process, host: string, asked: SqlRequest): Reply | undefined {
  const { server, beside, files, clockMs: nowMs } = process;
  if (!(server instanceof SqlServer) || host !== "127.0.0.1" || beside?.server !== undefined) return undefined;
  const { reply, edits } = server.reply({ files, from: host, nowMs, number: server.numberIn(files) }, asked);
  for (const one of edits) edit(process, one);
  return reply;
}
