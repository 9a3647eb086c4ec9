// Answers commands of a Redis server. The keys are computed from a file of the commands that changed them, to which new commands are appended.
import { stableFraction } from "../../../../shared/base/stable.ts";
import type { Files } from "../../shell/files.ts";
import { linesOf } from "../../../../shared/shell/lines.ts";
import { administrationCommands } from "./administration.ts";
import type { Command, Session } from "./command.ts";
import { RedisConfig, type RedisSettings } from "./config.ts";
import { genericCommands } from "./generic.ts";
import { hashCommands } from "./hashes.ts";
import { Keys, RedisError } from "./keys.ts";
import { listCommands } from "./lists.ts";
import { isError, type Reply } from "../../databases/resp.ts";
import { setCommands } from "./sets.ts";
import { sortedSetCommands } from "./sorted-sets.ts";
import { stringCommands } from "./strings.ts";

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    ...genericCommands,
    ...stringCommands,
    ...listCommands,
    ...hashCommands,
    ...setCommands,
    ...sortedSetCommands,
    ...administrationCommands,
  }),
);

/** The sizes in characters and lines at which the file is compacted, and at which it accepts no more. Each command reads the file. */
const rewritten = { characters: 131_072, lines: 1000 };
const most = { characters: 262_144, lines: 2000 };
/** Commands that a full server still accepts, because they free space. */
const shrinking = new Set(
  "DEL UNLINK GETDEL FLUSHDB FLUSHALL EXPIRE PEXPIRE EXPIREAT PEXPIREAT LPOP RPOP LTRIM LREM HDEL SREM SPOP ZREM ZPOPMIN ZPOPMAX".split(
    " ",
  ),
);
/** The number of ids that remain after compaction, so that a command that is computed again is recognized. */
const rememberedIds = 500;
/** The time for which a subscriber is counted. */
const subscribedMs = 300_000;

/** Lines of the file that concern the server and not keys. */
const ownNames = new Set(["CONFIG", "SUBSCRIBE"]);

export interface RedisServer {
  readonly files: Files;
  readonly settings: RedisSettings;
  readonly version: string;
  readonly nowMs: number;
  /** Sends a command to the server's primary. Returns undefined if it cannot be reached. Undefined if there is no network. */
  readonly askPrimary?: (words: readonly string[], database: number) => Reply | undefined;
  /** Receives the units of work that reading the file takes. */
  readonly pays?: ((units: number) => void) | undefined;
}

export interface RedisRequest {
  readonly words: readonly string[];
  readonly database: number;
  /** Undefined if the client has not sent one. */
  readonly password: string | undefined;
  /** Identifies the command, which may have been computed and stored before. */
  readonly id: string;
}

export interface RedisReplied {
  readonly reply: Reply;
  /** The change of the server's file. */
  readonly edit?: { readonly path: string; readonly text: string; readonly appends: boolean };
}

interface Line {
  readonly id: string;
  readonly atMs: number;
  readonly database: number;
  readonly words: readonly string[];
}

export function redisReplied(server: RedisServer, request: RedisRequest): RedisReplied {
  const { files } = server;
  const config = new RedisConfig(server.settings);
  const { path } = config;
  const text = files.get(path)?.text ?? "";
  const stored = storedIn(text, request.id, server.pays);
  for (const { words } of stored.serverLines) configured(config, words);
  const refusal = refusalOf(request, config);
  return refusal ? { reply: refusal } : answered(server, request, config, stored);
}

function answered(
  { nowMs, files, version, askPrimary }: RedisServer,
  { words, database, id }: RedisRequest,
  config: RedisConfig,
  { lines, keys: storedKeys }: Pick<StoredFile, "lines" | "keys">,
): RedisReplied {
  const [firstWord = "", ...args] = words;
  const name = nameOf(words);
  const { path } = config;
  const line = (storedWords: readonly string[]) => lineText({ id, atMs: nowMs, database, words: storedWords });
  if (name === "SUBSCRIBE" || name === "PSUBSCRIBE")
    return {
      reply: ["subscribe", args[0], 1],
      edit: { path, text: line(["SUBSCRIBE", args[0] ?? ""]), appends: true },
    };
  // Subscribers send this themselves while they wait: see `client.ts`.
  if (name === "PUBLISHED") return { reply: published(lines, args) };
  const command = commands.get(name);
  if (!command) return { reply: unknown(firstWord, args) };
  const { takes } = command;
  const fits = takes === "any" || (takes < 0 ? args.length >= -takes : args.length === takes);
  if (!fits) return { reply: { error: `ERR wrong number of arguments for '${firstWord.toLowerCase()}' command` } };
  // A replica stores nothing and reads from its primary.
  if (config.primary && !Object.hasOwn(administrationCommands, name))
    return { reply: command.writes ? readOnly : (askPrimary?.(words, database) ?? primaryDown) };
  const length = files.get(path)?.text?.length ?? 0;
  const isFull = length > most.characters || lines.length >= most.lines;
  if (command.writes && isFull && !shrinking.has(name))
    return { reply: { error: "OOM command not allowed when used memory > 'maxmemory'." } };
  const keys = storedKeys.copy();
  keys.nowMs = nowMs;
  keys.select(database);
  let noted: readonly (readonly string[])[] | undefined;
  const session: Session = {
    keys,
    database,
    nowMs,
    config,
    version,
    random: () => stableFraction(id),
    note: (...notedWords) => {
      noted = notedWords.length === 0 ? [] : [...(noted ?? []), notedWords];
    },
    isLinked: () => askPrimary?.(["PING"], database) !== undefined,
    subscribers: (channel) => subscribersOf(lines, channel, nowMs),
  };
  const reply = tried(command, args, session);
  if (!command.writes || isError(reply)) return { reply };
  const more = (noted ?? [[name, ...args]]).map(line).join("");
  if (more === "") return { reply };
  const isLong = length > rewritten.characters || lines.length >= rewritten.lines;
  if (!isLong) return { reply, edit: { path, text: more, appends: true } };
  return { reply, edit: { path, text: shortened(lines, keys, id, nowMs), appends: false } };
}

const readOnly: Reply = { error: "READONLY You can't write against a read only replica." };
const primaryDown: Reply = {
  error: "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
};

function tried({ run }: Command, args: readonly string[], session: Session): Reply {
  try {
    return run(args, session);
  } catch (error) {
    if (error instanceof RedisError) return { error: error.message };
    throw error;
  }
}

function nameOf([name = ""]: readonly string[]): string {
  return name.toUpperCase();
}

function unknown(command: string, args: readonly string[]): Reply {
  const listedArgs = args.map((arg) => `'${arg.slice(0, 128)}' `).join("");
  return { error: `ERR unknown command '${command.slice(0, 128)}', with args beginning with: ${listedArgs}` };
}

/** Returns why a client is refused; undefined if it may continue. */
function refusalOf({ words, password }: RedisRequest, config: RedisConfig): Reply | undefined {
  const name = nameOf(words);
  const requiredPassword = config.password;
  if (name === "AUTH") {
    if (requiredPassword === undefined) return { error: noPassword };
    return words.at(-1) === requiredPassword ? { status: "OK" } : { error: wrongPassword };
  }
  if (requiredPassword === undefined || password === requiredPassword || name === "QUIT") return undefined;
  return { error: "NOAUTH Authentication required." };
}

const noPassword =
  "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?";
const wrongPassword = "WRONGPASS invalid username-password pair or user is disabled.";

function configured(config: RedisConfig, words: readonly string[]): void {
  const [name = "", verb = "", key = "", value = ""] = words;
  if (name === "CONFIG" && verb.toUpperCase() === "SET") config.set(key.toLowerCase(), value);
}

/** A parsed file, with the keys that its commands create. */
interface StoredFile {
  readonly text: string;
  readonly lines: readonly Line[];
  /** Lines about the server itself. */
  readonly serverLines: readonly Line[];
  readonly ids: Set<string>;
  readonly keys: Keys;
}

/** The last parsed files, the newest first. A command appends a line to one of them. */
const recent: StoredFile[] = [];
const mostRecent = 4;
/** The number of characters of a file that one unit of work compares. */
const charactersPerUnit = 4096;

/** Parses a file without the command of `id`, which is being computed again. */
function storedIn(text: string, id: string, pays?: (units: number) => void): StoredFile {
  const at = recent.findIndex((file) => isBeginning(file, text) && !file.ids.has(id));
  // The longer file replaces the shorter one and continues its lists.
  const [before] = at < 0 ? [] : recent.splice(at, 1);
  const ids = before?.ids ?? new Set<string>();
  const more = text.slice(before?.text.length ?? 0);
  const added = linesFrom(more, ids, id);
  pays?.(1 + text.length / charactersPerUnit + added.length);
  const addedOwn = added.filter(({ words }) => ownNames.has(nameOf(words)));
  const stored: StoredFile = {
    text,
    lines: before ? before.lines.concat(added) : added,
    serverLines: before ? before.serverLines.concat(addedOwn) : addedOwn,
    ids,
    keys: keysOf(added, before?.keys),
  };
  // A file that contains the command is not what other commands find.
  if (!more.includes(`#${id}@`)) recent.unshift(stored);
  recent.length = Math.min(recent.length, mostRecent);
  return stored;
}

function isBeginning(file: StoredFile, text: string): boolean {
  const isWholeLines = file.text === "" || file.text.endsWith("\n");
  return isWholeLines && text.startsWith(file.text);
}

/** Applies commands to keys. */
function keysOf(lines: readonly Line[], keys = new Keys()): Keys {
  for (const { words, atMs, database, id } of lines) {
    const [name = "", ...args] = words;
    const command = commands.get(name);
    if (!command?.writes || ownNames.has(name) || name === "PUBLISH") continue;
    keys.nowMs = atMs;
    keys.select(database);
    const session: Session = {
      keys,
      database,
      nowMs: atMs,
      config: new RedisConfig({}),
      version: "",
      random: () => stableFraction(id),
      note: () => undefined,
      isLinked: () => false,
      subscribers: () => 0,
    };
    tried(command, args, session);
  }
  return keys;
}

function subscribersOf(lines: readonly Line[], channel: string, nowMs: number): number {
  const isOne = ({ words: [name, subscribedChannel], atMs }: Line) =>
    name === "SUBSCRIBE" && subscribedChannel === channel && atMs > nowMs - subscribedMs;
  return lines.filter(isOne).length;
}

/** Returns the messages of a channel since a time. */
function published(lines: readonly Line[], [channel, sinceMs]: readonly string[]): Reply {
  return lines.flatMap(({ words: [name, publishedChannel, text = ""], atMs }) =>
    name === "PUBLISH" && publishedChannel === channel && atMs > Number(sinceMs) ? [text] : [],
  );
}

/** Compacts the file: fewer commands that create the same keys, with the lines about the server and recent ids. */
function shortened(lines: readonly Line[], keys: Keys, id: string, nowMs: number): string {
  const keyLines = keys.commands().map(([database, words]) => ({ id: "", atMs: nowMs, database, words }));
  const serverLines = lines.filter(({ words }) => ownNames.has(nameOf(words)));
  const ids = [...new Set([...lines.map((line) => line.id), id])].filter((line) => line !== "").slice(-rememberedIds);
  const idLines = ids.map((knownId) => ({ id: knownId, atMs: nowMs, database: 0, words: ["KNOWN"] }));
  return [...serverLines, ...idLines, ...keyLines].map(lineText).join("");
}

function lineText({ id, atMs, database, words }: Line): string {
  return `${JSON.stringify([`#${id}@${atMs}/${database}`, ...words])}\n`;
}

/** Returns the commands of a file, each once. Skips and extends `ids`, and skips the id `except`. */
function linesFrom(text: string, ids = new Set<string>(), except?: string): Line[] {
  return linesOf(text).flatMap((line) => {
    const command = lineOf(line);
    if (!command || (command.id !== "" && (ids.has(command.id) || command.id === except))) return [];
    ids.add(command.id);
    return [command];
  });
}

/** Parses a line. Returns undefined if somebody else has written it. */
function lineOf(text: string): Line | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) return undefined;
  const [head = "", ...words] = parsed.map(String);
  const [, id = "", atMs = "", database = ""] = /^#(\w*)@(\d+)\/(\d+)$/.exec(head) ?? [];
  return atMs === "" ? undefined : { id, atMs: Number(atMs), database: Number(database), words };
}
