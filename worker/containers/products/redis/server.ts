// A server of Redis answers a command: its keys are worked out from a file of the commands that changed them, to which it adds.
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

/** Of the file, in characters and lines: each command reads it. Past the first pair it is written anew, past the second it takes no more. */
const rewritten = { characters: 131_072, lines: 1000 };
const most = { characters: 262_144, lines: 2000 };
/** What is taken though there is no room: it makes some. */
const shrinking = new Set(
  "DEL UNLINK GETDEL FLUSHDB FLUSHALL EXPIRE PEXPIRE EXPIREAT PEXPIREAT LPOP RPOP LTRIM LREM HDEL SREM SPOP ZREM ZPOPMIN ZPOPMAX".split(
    " ",
  ),
);
/** Commands that are known again when they are worked out once more, after the file was written anew. */
const rememberedIds = 500;
/** A subscriber is counted so long. */
const subscribedMs = 300_000;

/** Lines of the file that are about the server and not about keys. */
const ownNames = new Set(["CONFIG", "SUBSCRIBE"]);

export interface RedisServer {
  readonly files: Files;
  readonly settings: RedisSettings;
  readonly version: string;
  readonly nowMs: number;
  /** Asks the server's primary; undefined if it cannot be reached. Absent: no server can be asked. */
  readonly askPrimary?: (words: readonly string[], database: number) => Reply | undefined;
  /** Receives the units of work that reading the file takes. */
  readonly pays?: ((units: number) => void) | undefined;
}

export interface RedisAsked {
  readonly words: readonly string[];
  readonly database: number;
  /** Undefined for who has not said one. */
  readonly password: string | undefined;
  /** Of the command, which may have been worked out and noted before. */
  readonly id: string;
}

export interface RedisReplied {
  readonly reply: Reply;
  /** What is to be written to the server's file. */
  readonly edit?: { readonly path: string; readonly text: string; readonly appends: boolean };
}

interface Line {
  readonly id: string;
  readonly atMs: number;
  readonly database: number;
  readonly words: readonly string[];
}

export function redisReplied(server: RedisServer, asked: RedisAsked): RedisReplied {
  const { files } = server;
  const config = new RedisConfig(server.settings);
  const { path } = config;
  const text = files.get(path)?.text ?? "";
  const stored = storedIn(text, asked.id, server.pays);
  for (const { words } of stored.own) configured(config, words);
  const refusal = refusalOf(asked, config);
  return refusal ? { reply: refusal } : answered(server, asked, config, stored);
}

function answered(
  { nowMs, files, version, askPrimary }: RedisServer,
  { words, database, id }: RedisAsked,
  config: RedisConfig,
  { lines, keys: storedKeys }: Pick<StoredFile, "lines" | "keys">,
): RedisReplied {
  const [given = "", ...args] = words;
  const name = nameOf(words);
  const { path } = config;
  const line = (own: readonly string[]) => lineText({ id, atMs: nowMs, database, words: own });
  if (name === "SUBSCRIBE" || name === "PSUBSCRIBE")
    return {
      reply: ["subscribe", args[0], 1],
      edit: { path, text: line(["SUBSCRIBE", args[0] ?? ""]), appends: true },
    };
  // What subscribers ask for themselves, so that they can wait: see `client.ts`.
  if (name === "PUBLISHED") return { reply: published(lines, args) };
  const command = commands.get(name);
  if (!command) return { reply: unknown(given, args) };
  const { takes } = command;
  const fits = takes === "any" || (takes < 0 ? args.length >= -takes : args.length === takes);
  if (!fits) return { reply: { error: `ERR wrong number of arguments for '${given.toLowerCase()}' command` } };
  // A replica keeps nothing: it reads what its primary has.
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
    note: (...own) => {
      noted = own.length === 0 ? [] : [...(noted ?? []), own];
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
  const shown = args.map((one) => `'${one.slice(0, 128)}' `).join("");
  return { error: `ERR unknown command '${command.slice(0, 128)}', with args beginning with: ${shown}` };
}

/** Undefined for who may go on. */
function refusalOf({ words, password }: RedisAsked, config: RedisConfig): Reply | undefined {
  const name = nameOf(words);
  const wanted = config.password;
  if (name === "AUTH") {
    if (wanted === undefined) return { error: noPassword };
    return words.at(-1) === wanted ? { status: "OK" } : { error: wrongPassword };
  }
  if (wanted === undefined || password === wanted || name === "QUIT") return undefined;
  return { error: "NOAUTH Authentication required." };
}

const noPassword =
  "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?";
const wrongPassword = "WRONGPASS invalid username-password pair or user is disabled.";

function configured(config: RedisConfig, words: readonly string[]): void {
  const [name = "", verb = "", key = "", value = ""] = words;
  if (name === "CONFIG" && verb.toUpperCase() === "SET") config.set(key.toLowerCase(), value);
}

/** A file as it was read last, with the keys that its commands make. */
interface StoredFile {
  readonly text: string;
  readonly lines: readonly Line[];
  /** Lines about the server that has the file. */
  readonly own: readonly Line[];
  readonly ids: Set<string>;
  readonly keys: Keys;
}

/** Files that were read last, the newest first: a command adds a line to one of them. */
const recent: StoredFile[] = [];
const mostRecent = 4;
/** Characters of a file that are compared for a unit of work. */
const charactersPerUnit = 4096;

/** Reads a file of commands without the one of that id, which is being worked out again. */
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
    own: before ? before.own.concat(addedOwn) : addedOwn,
    ids,
    keys: keysOf(added, before?.keys),
  };
  // A file that has the command is not what others find.
  if (!more.includes(`#${id}@`)) recent.unshift(stored);
  recent.length = Math.min(recent.length, mostRecent);
  return stored;
}

function isBeginning(file: StoredFile, text: string): boolean {
  const isWholeLines = file.text === "" || file.text.endsWith("\n");
  return isWholeLines && text.startsWith(file.text);
}

/** Returns the keys that commands make of those that were there before. */
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
  const isOne = ({ words: [name, own], atMs }: Line) =>
    name === "SUBSCRIBE" && own === channel && atMs > nowMs - subscribedMs;
  return lines.filter(isOne).length;
}

/** Messages of a channel since a moment. */
function published(lines: readonly Line[], [channel, sinceMs]: readonly string[]): Reply {
  return lines.flatMap(({ words: [name, own, text = ""], atMs }) =>
    name === "PUBLISH" && own === channel && atMs > Number(sinceMs) ? [text] : [],
  );
}

/** The same keys by fewer commands, with what is remembered besides. */
function shortened(lines: readonly Line[], keys: Keys, id: string, nowMs: number): string {
  const made = keys.commands().map(([database, words]) => ({ id: "", atMs: nowMs, database, words }));
  const own = lines.filter(({ words }) => ownNames.has(nameOf(words)));
  const ids = [...new Set([...lines.map((one) => one.id), id])].filter((one) => one !== "").slice(-rememberedIds);
  const known = ids.map((one) => ({ id: one, atMs: nowMs, database: 0, words: ["KNOWN"] }));
  return [...own, ...known, ...made].map(lineText).join("");
}

function lineText({ id, atMs, database, words }: Line): string {
  return `${JSON.stringify([`#${id}@${atMs}/${database}`, ...words])}\n`;
}

/** Returns the commands of a file, each once, without those of `ids`, to which it adds theirs, and without that of the id `except`. */
function linesFrom(text: string, ids = new Set<string>(), except?: string): Line[] {
  return linesOf(text).flatMap((line) => {
    const command = lineOf(line);
    if (!command || (command.id !== "" && (ids.has(command.id) || command.id === except))) return [];
    ids.add(command.id);
    return [command];
  });
}

/** Undefined of what somebody else has written there. */
function lineOf(text: string): Line | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(found)) return undefined;
  const [head = "", ...words] = found.map(String);
  const [, id = "", atMs = "", database = ""] = /^#(\w*)@(\d+)\/(\d+)$/.exec(head) ?? [];
  return atMs === "" ? undefined : { id, atMs: Number(atMs), database: Number(database), words };
}
