// The client and the server side of a database connection. A statement is sent as a request with the method `sql`.
import type { Task } from "../../../shared/shell/task.ts";
import { stableHex } from "../../../shared/base/stable.ts";
import type { Files } from "../shell/files.ts";
import { edit, type Process } from "../shell/process.ts";
import { type Opened, open } from "../shell/programs/connection.ts";
import { acceptWithoutAnswer, type Page, type Server, type Visit } from "../shell/server.ts";
import type { Dialect, SqlRequest, Reply } from "./dialect.ts";
import { type DatabaseVisit, replyTo } from "./server.ts";

/** The name of the protocol in requests and answers. */
export const sqlLanguage = "sql";
/** The time limit of a client that sets none. */
const patienceMs = 133_000;

/** A listening database server. It answers statements that come over the network. */
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
    if (visit.method !== sqlLanguage) return acceptWithoutAnswer(visit);
    const { files, from = "", nowMs, number = 0 } = visit;
    // `askDatabase` wrote the body.
    const { reply, edits, work } = this.reply({ files, from, nowMs, number }, JSON.parse(visit.body) as SqlRequest);
    visit.pays?.(work);
    return { contentType: "application/json", body: JSON.stringify(reply), language: sqlLanguage, edits };
  }

  reply(visit: DatabaseVisit, request: SqlRequest) {
    const [path, version] = [this.#path, this.#version];
    const { reply, more, work } = replyTo(this.#dialect, { ...visit, path, version }, request);
    const edits = more === "" ? [] : [{ path, text: more, appends: true as const }];
    return { reply, edits, work };
  }

  /** Returns a number that distinguishes a statement from those before it, because each statement appends to the data. */
  numberIn(files: Files): number {
    return files.get(this.#path)?.text?.length ?? 0;
  }
}

export interface Asking {
  /** The reply, or the result of the connection. */
  readonly reply: Reply | Opened;
  /** Empty if the name has no address. */
  readonly address: string;
}

export function* askDatabase(
  process: Process,
  { host, port }: { readonly host: string; readonly port: number },
  sqlRequest: SqlRequest,
): Task<Asking> {
  const localReply = replyOfOwnServer(process, host, sqlRequest);
  if (localReply) return { reply: localReply, address: "127.0.0.1" };
  const request = {
    method: sqlLanguage,
    path: `/${stableHex(sqlRequest.sql, 8)}`,
    headers: [],
    body: JSON.stringify(sqlRequest),
  };
  const opened = yield* open(process, { host, port, request, limitMs: patienceMs });
  const { answer } = opened.reached;
  // `SqlServer` wrote the body.
  const reply =
    opened.reached.kind === "answered" && answer?.language === sqlLanguage
      ? (JSON.parse(answer.body) as Reply)
      : opened;
  return { reply, address: opened.address ?? "" };
}

/** Returns the reply of the process's own server, which answers its initialization scripts before it listens. */
function replyOfOwnServer(process: Process, host: string, sqlRequest: SqlRequest): Reply | undefined {
  const { server, beside, files, clockMs: nowMs } = process;
  if (!(server instanceof SqlServer) || host !== "127.0.0.1" || beside?.server !== undefined) return undefined;
  const { reply, edits } = server.reply({ files, from: host, nowMs, number: server.numberIn(files) }, sqlRequest);
  for (const dataEdit of edits) edit(process, dataEdit);
  return reply;
}
