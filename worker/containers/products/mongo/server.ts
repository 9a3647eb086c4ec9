// mongod: documents by collection and database, stored as lines of a file in its data folder. Clients evaluate the queries.
import type { Task } from "../../../../shared/shell/task.ts";
import { stableHex } from "../../../../shared/base/stable.ts";
import { listenAs } from "../../shell/listen.ts";
import { edit } from "../../shell/process.ts";
import { type ProgramCall } from "../../shell/program.ts";
import { linesOf } from "../../../../shared/shell/lines.ts";
import { acceptWithoutAnswer, type Page, type Server, type Visit } from "../../shell/server.ts";

/** The name of the protocol in requests and answers. */
const mongoLanguage = "mongo";

/** The maximum size of the file, in characters and lines, and of one request or reply. */
const most = { characters: 262_144, lines: 2000, request: 65_536 };

/** The collection in the database `admin` with users that were created later. */
const usersCollection = "system.users";

type Document = Readonly<Record<string, unknown>>;

interface Line {
  readonly id?: string;
  readonly db: string;
  readonly c: string;
  readonly put?: readonly Document[];
  /** Identifiers of documents, as JSON. */
  readonly del?: readonly string[];
  readonly drop?: boolean;
}

/** A client's request: `op` is `connect`, `replicaSet`, `databases`, `collections`, `documents` or `write`. */
interface MongoRequest {
  readonly user?: string;
  readonly password?: string;
  readonly command?: string;
  readonly op: string;
  readonly db: string;
  readonly c?: string;
  readonly put?: readonly Document[];
  readonly del?: readonly string[];
  readonly drop?: boolean;
}

export function* mongod(call: ProgramCall): Task<number> {
  const { process, shell, out, args } = call;
  const name = (variable: string) => shell.variables.get(variable) ?? "";
  const user = name("MONGO_INITDB_ROOT_USERNAME");
  const password = name("MONGO_INITDB_ROOT_PASSWORD");
  if ((user === "") !== (password === "")) {
    call.err(
      "\nerror: missing 'MONGO_INITDB_ROOT_USERNAME' or 'MONGO_INITDB_ROOT_PASSWORD'\n       both must be specified for a user to be created\n\n",
    );
    return 1;
  }
  const at = args.indexOf("--port");
  const port = Number(at < 0 ? 27017 : args[at + 1]) || 27017;
  const folder = args.includes("--dbpath") ? (args[args.indexOf("--dbpath") + 1] ?? "/data/db") : "/data/db";
  const path = `${folder}/collection-0.wt`;
  const log = (component: string, message: string) => {
    const date = { $date: new Date(process.clockMs).toISOString().replace("Z", "+00:00") };
    out(`${JSON.stringify({ t: date, s: "I", c: component, id: 23016, ctx: "listener", msg: message })}\n`);
  };
  if (process.files.get(path) === undefined) edit(process, { path, text: "" });
  log("NETWORK", "Listening on");
  log("NETWORK", "Waiting for connections");
  const set = args.indexOf("--replSet");
  const settings = { path, user, password, replicaSet: set < 0 ? "" : (args[set + 1] ?? "") };
  return yield* listenAs(call, mongoServer(settings), [port]);
}

interface Settings {
  readonly path: string;
  readonly user: string;
  readonly password: string;
  readonly replicaSet: string;
}

function mongoServer(settings: Settings): Server {
  return {
    needsNetwork: true,
    answer: (visit) => (visit.method === mongoLanguage ? answerCommand(settings, visit) : acceptWithoutAnswer(visit)),
  };
}

/** Returns the answer as JSON, with the line that the server appends to its file. */
function answerCommand({ path, user, password, replicaSet }: Settings, visit: Visit): Page {
  const { files, from, nowMs, number, body } = visit;
  visit.pays?.(files.bytes / 4096);
  // `databases.ts` of the interpreters wrote it.
  const request = JSON.parse(body) as MongoRequest;
  const id = stableHex(JSON.stringify([from, nowMs, number, body]), 16);
  const jsonPage = (value: object, more = ""): Page => ({
    contentType: "application/json",
    body: JSON.stringify(value),
    language: mongoLanguage,
    edits: more === "" ? [] : [{ path, text: more, appends: true }],
  });
  const text = files.get(path)?.text ?? "";
  const lines = linesFrom(text, id);
  const isRoot = request.user === user && request.password === password;
  const storedUser = documentsOf(lines, "admin", usersCollection).get(JSON.stringify(request.user ?? ""));
  const isLetIn = isRoot || (storedUser !== undefined && storedUser["pwd"] === request.password);
  if (request.user !== undefined && !isLetIn)
    return jsonPage({ error: "Authentication failed.", code: 18, codeName: "AuthenticationFailed" });
  if (request.op === "connect") return jsonPage({});
  if (user !== "" && request.user === undefined)
    return jsonPage({
      error: `Command ${request.command ?? request.op} requires authentication`,
      code: 13,
      codeName: "Unauthorized",
    });
  if (request.op === "replicaSet") return jsonPage({ name: replicaSet });
  if (request.op === "databases")
    return jsonPage({
      names: [...new Set(lines.map(({ db }) => db))].filter((db) => collectionsOf(lines, db).length > 0).sort(),
    });
  if (request.op === "collections") return jsonPage({ names: collectionsOf(lines, request.db) });
  if (request.op === "documents")
    return jsonPage({ documents: [...documentsOf(lines, request.db, request.c ?? "").values()] });
  const { db, c = "", put, del, drop } = request;
  if (text.length > most.characters || lines.length >= most.lines || body.length > most.request)
    return jsonPage({ error: "No space left on device", code: 14031, codeName: "OutOfDiskSpace" });
  const line: Line = { id, db, c, ...(put ? { put } : {}), ...(del ? { del } : {}), ...(drop ? { drop } : {}) };
  return jsonPage({}, `${JSON.stringify(line)}\n`);
}

function collectionsOf(lines: readonly Line[], db: string): string[] {
  const names = new Set<string>();
  for (const line of lines) {
    if (line.db !== db) continue;
    if (line.drop) names.delete(line.c);
    else names.add(line.c);
  }
  return [...names].filter((name) => !name.startsWith("system.")).sort();
}

function documentsOf(lines: readonly Line[], db: string, c: string): Map<string, Document> {
  const documents = new Map<string, Document>();
  for (const line of lines) {
    if (line.db !== db || line.c !== c) continue;
    if (line.drop) documents.clear();
    for (const id of line.del ?? []) documents.delete(id);
    for (const document of line.put ?? []) documents.set(JSON.stringify(document["_id"]), document);
  }
  return documents;
}

/** Returns the lines, each once, without the one that is being computed again and without lines of other writers. */
function linesFrom(text: string, except: string): Line[] {
  const countedIds = new Set([except]);
  return linesOf(text).flatMap((line) => {
    try {
      const parsed: unknown = JSON.parse(line);
      if (typeof parsed !== "object" || parsed === null) return [];
      // The server wrote it.
      const parsedLine = parsed as Line;
      if (parsedLine.id !== undefined && countedIds.has(parsedLine.id)) return [];
      countedIds.add(parsedLine.id ?? "");
      return [parsedLine];
    } catch {
      return [];
    }
  });
}
