// redis-cli: sends commands from its arguments, its input or a terminal, and prints the replies.
import type { Task } from "../../../../shared/shell/task.ts";
import { stableHex } from "../../../../shared/base/stable.ts";
import { isTyped, takeAll, takeLine } from "../../shell/input.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { edit, type Process } from "../../shell/process.ts";
import { sleep } from "../../shell/system-call.ts";
import { type ProgramCall } from "../../shell/program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { kernelMs, open, type Opened } from "../../shell/programs/connection.ts";
import { formatReply } from "./reply.ts";
import { decodeReply, isError, type Reply, respLanguage } from "../../databases/resp.ts";
import { redisReplied } from "./server.ts";
import { ListeningRedis } from "./answer.ts";
import { redisVersion } from "./versions.ts";

const unsafe = "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n";

/** The server and the user of a connection. */
interface Connection {
  readonly host: string;
  readonly port: number;
  password: string | undefined;
  database: number;
  /** The commands of an open transaction. */
  queue: (readonly string[])[] | undefined;
}

interface Options {
  readonly way: Connection;
  readonly rest: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly isRaw: boolean;
}

const long = new Set(["--user", "--pass", "--pattern", "--count"]);

/** Parses options. Everything after the first word that is not an option belongs to the command. */
function optionsOf({ args, shell }: ProgramCall, isTerminal: boolean): Options {
  const words = args.flatMap((arg, at) =>
    long.has(args[at - 1] ?? "") ? [] : long.has(arg) ? [`${arg}=${args[at + 1] ?? ""}`] : [arg],
  );
  const withValue = "hpanurisd";
  let end = 0;
  while (end < words.length && (words[end] ?? "").startsWith("-") && words[end] !== "-")
    end += /^-[a-z]$/.test(words[end] ?? "") && withValue.includes((words[end] ?? "").slice(1)) ? 2 : 1;
  const { values, flags } = options(words.slice(0, end), withValue);
  const address = values.get("u") ?? "";
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const way: Connection = {
    host: values.get("h") ?? (url?.hostname || undefined) ?? "127.0.0.1",
    port: Number(values.get("p") ?? (url?.port || 6379)),
    password:
      values.get("a") ?? values.get("pass") ?? (url?.password || undefined) ?? shell.variables.get("REDISCLI_AUTH"),
    database: Number(values.get("n") ?? (url?.pathname.slice(1) || 0)),
    queue: undefined,
  };
  return {
    way,
    rest: words.slice(end),
    flags,
    values,
    isRaw: flags.has("raw") || (!isTerminal && !flags.has("no-raw")),
  };
}

export function* redisCli(call: ProgramCall): Task<number> {
  const { process, input, out, err } = call;
  const isTerminal = isTyped(input) && input.isTerminal;
  const options = optionsOf(call, isTerminal);
  const { way, flags, values, isRaw } = options;
  let { rest } = options;
  if (flags.has("version") || flags.has("v")) {
    out(`redis-cli ${redisVersion(process.self.image)}\n`);
    return 0;
  }
  if ((values.has("a") || values.has("pass")) && !flags.has("no-auth-warning")) err(unsafe);
  const why = whyNot(
    yield* open(process, { host: way.host, port: way.port, request: request([], way), limitMs: kernelMs }),
  );
  if (process.paused) return 1;
  if (why !== undefined) {
    err(`Could not connect to Redis at ${way.host}:${way.port}: ${why}\n`);
    if (!isTerminal || rest.length > 0) return 1;
  }
  if (way.password !== undefined && why === undefined) {
    const reply = yield* sendCommand(call, way, ["AUTH", way.password]);
    if (isError(reply)) err(`AUTH failed: ${reply.error}\n`);
    if (process.paused) return 1;
  }
  if (flags.has("x")) rest = [...rest, ((yield* takeAll(process, input)) ?? "").replace(/\n$/, "")];
  if (flags.has("scan")) rest = ["KEYS", values.get("pattern") ?? "*"];
  if (rest.length > 0) return yield* repeated(call, options, rest);
  const tell = (reply: Reply) => out(formatReply(reply, !isRaw));
  while (input && !process.paused) {
    if (isTerminal) out(prompt(way, why === undefined));
    const line = (yield* takeLine(process, input))?.trim();
    if (line === undefined || /^(quit|exit)$/i.test(line)) break;
    if (line === "") continue;
    const words = wordsOf(line);
    if (/^clear$/i.test(line)) out("\x1b[H\x1b[2J");
    else if (words) yield* once(call, way, words, tell);
    else out("Invalid argument(s)\n");
  }
  return 0;
}

function prompt({ host, port, database, queue }: Connection, isConnected: boolean): string {
  if (!isConnected) return "not connected> ";
  return `${host}:${port}${database === 0 ? "" : `[${database}]`}${queue ? "(TX)" : ""}> `;
}

/** Repeats a command as `-r 3 -i 1` says: three times, with an interval of one second. */
function* repeated(call: ProgramCall, { way, flags, values, isRaw }: Options, words: readonly string[]): Task<number> {
  const { process, out } = call;
  const times = values.has("r") ? Number(values.get("r")) : 1;
  let code = 0;
  for (let at = 0; (at < times || times < 0) && !process.paused; at++) {
    if (at > 0) yield* sleep(process, Number(values.get("i") ?? 0) * 1000);
    if (process.paused) break;
    yield* once(call, way, words, (reply) => {
      out(formatReply(reply, !isRaw));
      if (isError(reply) && flags.has("e")) code = 1;
    });
  }
  return code;
}

/** Runs one command, or queues it in a transaction. */
function* once(call: ProgramCall, way: Connection, words: readonly string[], tell: (reply: Reply) => void): Task<void> {
  const { process } = call;
  const name = (words[0] ?? "").toUpperCase();
  if (name === "MULTI") {
    tell(way.queue ? { error: "ERR MULTI calls can not be nested" } : { status: "OK" });
    way.queue ??= [];
    return;
  }
  if (name === "EXEC" || name === "DISCARD") {
    const { queue } = way;
    way.queue = undefined;
    if (!queue) tell({ error: `ERR ${name} without MULTI` });
    else if (name === "DISCARD") tell({ status: "OK" });
    else {
      const replies: Reply[] = [];
      for (const queued of queue) replies.push(yield* sendCommand(call, way, queued));
      tell(replies);
    }
    return;
  }
  if (way.queue) {
    way.queue.push(words);
    return tell({ status: "QUEUED" });
  }
  if (name === "SUBSCRIBE") return yield* subscribe(call, way, words[1] ?? "", tell);
  const reply = yield* waited(call, way, words);
  if (process.paused) return;
  if (name === "AUTH" && !isError(reply)) way.password = words.at(-1);
  if (name === "SELECT" && !isError(reply)) way.database = Number(words[1]);
  tell(reply);
}

/** Runs a blocking command: repeats it each second until there is a result or its time is over. */
function* waited(call: ProgramCall, way: Connection, words: readonly string[]): Task<Reply> {
  const { process } = call;
  const limit = blockMs(words);
  const endMs = process.clockMs + Math.min(limit ?? 0, mostLooks * lookMs);
  let reply = yield* sendCommand(call, way, words);
  while (limit !== undefined && reply === undefined && process.clockMs < endMs && !process.paused) {
    yield* sleep(process, Math.min(lookMs, endMs - process.clockMs));
    if (!process.paused) reply = yield* sendCommand(call, way, words);
  }
  // Without a limit it waits for ever.
  if (limit === Number.POSITIVE_INFINITY && reply === undefined) yield* sleep(process, limit);
  return reply;
}

/** Returns the time limit of a blocking command; undefined for other commands. */
function blockMs(words: readonly string[]): number | undefined {
  const name = (words[0] ?? "").toUpperCase();
  const ms = name === "BLPOP" || name === "BRPOP" ? Number(words.at(-1)) * 1000 : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  return ms === 0 ? Number.POSITIVE_INFINITY : ms;
}

/** The interval at which a subscriber polls for messages, and the maximum number of polls. */
const lookMs = 1000;
const mostLooks = 300;

function* subscribe(call: ProgramCall, way: Connection, channel: string, tell: (reply: Reply) => void): Task<void> {
  const { process, out, input } = call;
  if (isTyped(input) && input.isTerminal)
    out("Reading messages... (press Ctrl-C to quit or any key to type command)\n");
  const first = yield* sendCommand(call, way, ["SUBSCRIBE", channel]);
  if (process.paused) return;
  tell(first);
  for (let look = 0; look < mostLooks && !isError(first); look++) {
    const sinceMs = process.clockMs;
    yield* sleep(process, lookMs);
    if (process.paused) return;
    const messages = yield* sendCommand(call, way, ["PUBLISHED", channel, String(sinceMs)]);
    if (Array.isArray(messages)) for (const text of messages) tell(["message", channel, text as Reply]);
  }
  yield* sleep(process, Number.POSITIVE_INFINITY);
}

function whyNot({ reached: { kind } }: Opened): string | undefined {
  if (kind === "open" || kind === "answered" || kind === "outside") return undefined;
  if (kind === "unresolved") return "Name or service not known";
  return kind === "refused" ? "Connection refused" : "Connection timed out";
}

function request(words: readonly string[], { password, database }: Connection) {
  const headers: (readonly [string, string])[] = [];
  if (password !== undefined) headers.push(["auth", password]);
  if (database !== 0) headers.push(["database", String(database)]);
  const command = words.length === 0 ? {} : { command: words };
  return { method: "RESP", path: "/", headers, body: words.join(" "), ...command };
}

/** Sends a command. Returns the server's reply. */
function* sendCommand(call: ProgramCall, way: Connection, words: readonly string[]): Task<Reply> {
  const { process, err } = call;
  const { host, port, database, password } = way;
  const localServer = ownServer(process, way);
  if (localServer !== undefined) {
    const { settings } = localServer;
    // Each command reads all data of the server.
    charge(process, 5 + process.files.bytes / 4096);
    const id = stableHex(JSON.stringify([process.clockMs, process.edits.length, words]), 16);
    const version = redisVersion(process.self.image);
    const { files, clockMs: nowMs } = process;
    const done = redisReplied({ files, settings, version, nowMs }, { words, database, password, id });
    if (done.edit) edit(process, done.edit);
    return done.reply;
  }
  const opened = yield* open(process, { host, port, request: request(words, way), limitMs: kernelMs });
  const { reached } = opened;
  if (reached.kind === "answered" && reached.answer?.language === respLanguage) return decodeReply(reached.answer.body);
  const why = whyNot(opened);
  if (why !== undefined && !process.paused) err(`Could not connect to Redis at ${host}:${port}: ${why}\n`);
  return plainReply(words);
}

/** Returns the server that this process itself has become, or beside which it runs if no network is known. */
function ownServer(process: Process, { host, port }: Connection): ListeningRedis | undefined {
  const isHere = host === "127.0.0.1" || host === "localhost" || host === process.self.address || host === process.host;
  if (!isHere || !process.ports.has(port)) return undefined;
  const isBeside = process.beside?.ports.has(port) ?? false;
  const server = isBeside ? process.beside?.server : process.server;
  return server instanceof ListeningRedis && !(isBeside && process.world.reach) ? server : undefined;
}

/** Returns the reply of an unknown server. */
function plainReply([command = ""]: readonly string[]): Reply {
  const name = command.toUpperCase();
  if (name === "PING") return { status: "PONG" };
  if (name === "GET") return undefined;
  return { error: "READONLY You can't write against a read only replica." };
}

/** Splits a line as redis-cli does. Returns undefined if a quote is not closed. */
function wordsOf(line: string): string[] | undefined {
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+))(?=\s|$)/gy;
  const words: string[] = [];
  let end = 0;
  for (const [word, double, single, bare] of line.matchAll(pattern)) {
    words.push(double === undefined ? (single ?? bare ?? "") : unescaped(double));
    end += word.length;
  }
  return line.slice(end).trim() === "" ? words : undefined;
}

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", a: "\x07", b: "\b" };
  return text.replace(/\\(x[0-9a-fA-F]{2}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (letters[code] ?? code),
  );
}
