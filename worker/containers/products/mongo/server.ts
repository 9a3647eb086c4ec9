// mongod: documents by collection and database, kept as lines of a file in its data folder. Clients do the rest: what a query means is theirs.
import type { Task } from "../../../../shared/shell/task.ts";
import { stableHex } from "../../../../shared/base/stable.ts";
import { listenAs } from "../../shell/listen.ts";
import { edit } from "../../shell/process.ts";
import { type ProgramCall } from "../../shell/program.ts";
import { linesOf } from "../../../../shared/shell/lines.ts";
import { mutePage, type Page, type Server, type Visit } from "../../shell/server.ts";

/** The name of the protocol in requests and answers. */
const mongoLanguage = "mongo";

/** Of the file, in characters and lines, and of what one request brings or gets. */
const most = { characters: 262_144, lines: 2000, request: 65_536 };

/** Users that were made later, in the database `admin`. */
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

/** What a client sends: `op` is `connect`, `replicaSet`, `databases`, `collections`, `documents` or `write`. */
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
    answer: (visit) => (visit.method === mongoLanguage ? answered(settings, visit) : mutePage(visit)),
  };
}

/** Returns the answer as JSON, with the line that the server writes at the end of its file. */
function answered({ path, user, password, replicaSet }: Settings, visit: Visit): Page {
  const { files, from, nowMs, number, body } = visit;
  visit.pays?.(files.bytes / 4096);
  // `databases.ts` of the interpreters wrote it.
  const asked = JSON.parse(body) as MongoRequest;
  const id = stableHex(JSON.stringify([from, nowMs, number, body]), 16);
  const said = (value: object, more = ""): Page => ({
    contentType: "application/json",
    body: JSON.stringify(value),
    language: mongoLanguage,
    edits: more === "" ? [] : [{ path, text: more, appends: true }],
  });
  const text = files.get(path)?.text ?? "";
  const lines = linesFrom(text, id);
  const isRoot = asked.user === user && asked.password === password;
  const made = documentsOf(lines, "admin", usersCollection).get(JSON.stringify(asked.user ?? ""));
  const isLetIn = isRoot || (made !== undefined && made["pwd"] === asked.password);
  if (asked.user !== undefined && !isLetIn)
    return said({ error: "Authentication failed.", code: 18, codeName: "AuthenticationFailed" });
  if (asked.op === "connect") return said({});
  if (user !== "" && asked.user === undefined)
    return said({
      error: `Command ${asked.command ?? asked.op} requires authentication`,
      code: 13,
      codeName: "Unauthorized",
    });
  if (asked.op === "replicaSet") return said({ name: replicaSet });
  if (asked.op === "databases")
    return said({
      names: [...new Set(lines.map(({ db }) => db))].filter((db) => collectionsOf(lines, db).length > 0).sort(),
    });
  if (asked.op === "collections") return said({ names: collectionsOf(lines, asked.db) });
  if (asked.op === "documents") return said({ documents: [...documentsOf(lines, asked.db, asked.c ?? "").values()] });
  const { db, c = "", put, del, drop } = asked;
  if (text.length > most.characters || lines.length >= most.lines || body.length > most.request)
    return said({ error: "No space left on device", code: 14031, codeName: "OutOfDiskSpace" });
  const line: Line = { id, db, c, ...(put ? { put } : {}), ...(del ? { del } : {}), ...(drop ? { drop } : {}) };
  return said({}, `${JSON.stringify(line)}\n`);
}

function collectionsOf(lines: readonly Line[], db: string): string[] {
  const names = new Set<string>();
  for (const one of lines) {
    if (one.db !== db) continue;
    if (one.drop) names.delete(one.c);
    else names.add(one.c);
  }
  return [...names].filter((name) => !name.startsWith("system.")).sort();
}

function documentsOf(lines: readonly Line[], db: string, c: string): Map<string, Document> {
  const found = new Map<string, Document>();
  for (const one of lines) {
    if (one.db !== db || one.c !== c) continue;
    if (one.drop) found.clear();
    for (const id of one.del ?? []) found.delete(id);
    for (const document of one.put ?? []) found.set(JSON.stringify(document["_id"]), document);
  }
  return found;
}

/** Each once, without the one that is being worked out, and without what somebody else has written there. */
function linesFrom(text: string, except: string): Line[] {
  const seen = new Set([except]);
  return linesOf(text).flatMap((line) => {
    try {
      const found: unknown = JSON.parse(line);
      if (typeof found !== "object" || found === null) return [];
      // `mongoReply` wrote it.
      const one = found as Line;
      if (one.id !== undefined && seen.has(one.id)) return [];
      seen.add(one.id ?? "");
      return [one];
    } catch {
      return [];
    }
  });
}
