// redis-cli: commands from its arguments, its input or a person at a terminal, and what the server says to them.
import type { Task } from "../../../../shared/shell/task.ts";
import { stableHex } from "../../../../shared/base/stable.ts";
import { isTyped, takeAll, takeLine } from "../../shell/input.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { edit, type Process } from "../../shell/process.ts";
import { sleep } from "../../shell/system-call.ts";
import { type ProgramCall } from "../../shell/program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { kernelMs, open, type Opened } from "../../shell/programs/connection.ts";
import { shown } from "./reply.ts";
import { decodeReply, isError, type Reply, respLanguage } from "../../databases/resp.ts";
import { redisReplied } from "./server.ts";
import { ListeningRedis } from "./answer.ts";
import { redisVersion } from "./versions.ts";

const unsafe = "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n";

/** Where a client is connected to, and as whom. */
interface Way {
  readonly host: string;
  readonly port: number;
  password: string | undefined;
  database: number;
  /** Commands of a transaction that has begun. */
  queue: (readonly string[])[] | undefined;
}

interface Options {
  readonly way: Way;
  readonly rest: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly isRaw: boolean;
}

const long = new Set(["--user", "--pass", "--pattern", "--count"]);

/** What follows the first word that is no option belongs to the command. */
function optionsOf({ args, shell }: ProgramCall, isTerminal: boolean): Options {
  const given = args.flatMap((one, at) =>
    long.has(args[at - 1] ?? "") ? [] : long.has(one) ? [`${one}=${args[at + 1] ?? ""}`] : [one],
  );
  const withValue = "hpanurisd";
  let end = 0;
  while (end < given.length && (given[end] ?? "").startsWith("-") && given[end] !== "-")
    end += /^-[a-z]$/.test(given[end] ?? "") && withValue.includes((given[end] ?? "").slice(1)) ? 2 : 1;
  const { values, flags } = options(given.slice(0, end), withValue);
  const address = values.get("u") ?? "";
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const way: Way = {
    host: values.get("h") ?? (url?.hostname || undefined) ?? "127.0.0.1",
    port: Number(values.get("p") ?? (url?.port || 6379)),
    password:
      values.get("a") ?? values.get("pass") ?? (url?.password || undefined) ?? shell.variables.get("REDISCLI_AUTH"),
    database: Number(values.get("n") ?? (url?.pathname.slice(1) || 0)),
    queue: undefined,
  };
  return {
    way,
    rest: given.slice(end),
    flags,
    values,
    isRaw: flags.has("raw") || (!isTerminal && !flags.has("no-raw")),
  };
}

export function* redisCli(call: ProgramCall): Task<number> {
  const { process, input, out, err } = call;
  const isTerminal = isTyped(input) && input.isTerminal;
  const asked = optionsOf(call, isTerminal);
  const { way, flags, values, isRaw } = asked;
  let { rest } = asked;
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
    const reply = yield* said(call, way, ["AUTH", way.password]);
    if (isError(reply)) err(`AUTH failed: ${reply.error}\n`);
    if (process.paused) return 1;
  }
  if (flags.has("x")) rest = [...rest, ((yield* takeAll(process, input)) ?? "").replace(/\n$/, "")];
  if (flags.has("scan")) rest = ["KEYS", values.get("pattern") ?? "*"];
  if (rest.length > 0) return yield* repeated(call, asked, rest);
  const tell = (reply: Reply) => out(shown(reply, !isRaw));
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

function prompt({ host, port, database, queue }: Way, isConnected: boolean): string {
  if (!isConnected) return "not connected> ";
  return `${host}:${port}${database === 0 ? "" : `[${database}]`}${queue ? "(TX)" : ""}> `;
}

/** `-r 3 -i 1`: so often, with so many seconds between. */
function* repeated(call: ProgramCall, { way, flags, values, isRaw }: Options, words: readonly string[]): Task<number> {
  const { process, out } = call;
  const times = values.has("r") ? Number(values.get("r")) : 1;
  let code = 0;
  for (let at = 0; (at < times || times < 0) && !process.paused; at++) {
    if (at > 0) yield* sleep(process, Number(values.get("i") ?? 0) * 1000);
    if (process.paused) break;
    yield* once(call, way, words, (reply) => {
      out(shown(reply, !isRaw));
      if (isError(reply) && flags.has("e")) code = 1;
    });
  }
  return code;
}

/** One command, or a part of a transaction. */
function* once(call: ProgramCall, way: Way, words: readonly string[], tell: (reply: Reply) => void): Task<void> {
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
      for (const one of queue) replies.push(yield* said(call, way, one));
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

/** A command that waits asks again each second, until something is there or its time is over. */
function* waited(call: ProgramCall, way: Way, words: readonly string[]): Task<Reply> {
  const { process } = call;
  const limit = blockMs(words);
  const endMs = process.clockMs + Math.min(limit ?? 0, mostLooks * lookMs);
  let reply = yield* said(call, way, words);
  while (limit !== undefined && reply === undefined && process.clockMs < endMs && !process.paused) {
    yield* sleep(process, Math.min(lookMs, endMs - process.clockMs));
    if (!process.paused) reply = yield* said(call, way, words);
  }
  // Without a limit it waits for ever.
  if (limit === Number.POSITIVE_INFINITY && reply === undefined) yield* sleep(process, limit);
  return reply;
}

/** Undefined for a command that does not wait. */
function blockMs(words: readonly string[]): number | undefined {
  const name = (words[0] ?? "").toUpperCase();
  const ms = name === "BLPOP" || name === "BRPOP" ? Number(words.at(-1)) * 1000 : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  return ms === 0 ? Number.POSITIVE_INFINITY : ms;
}

/** How often a subscriber looks for messages, and how long. */
const lookMs = 1000;
const mostLooks = 300;

function* subscribe(call: ProgramCall, way: Way, channel: string, tell: (reply: Reply) => void): Task<void> {
  const { process, out, input } = call;
  if (isTyped(input) && input.isTerminal)
    out("Reading messages... (press Ctrl-C to quit or any key to type command)\n");
  const first = yield* said(call, way, ["SUBSCRIBE", channel]);
  if (process.paused) return;
  tell(first);
  for (let look = 0; look < mostLooks && !isError(first); look++) {
    const sinceMs = process.clockMs;
    yield* sleep(process, lookMs);
    if (process.paused) return;
    const found = yield* said(call, way, ["PUBLISHED", channel, String(sinceMs)]);
    if (Array.isArray(found)) for (const text of found) tell(["message", channel, text as Reply]);
  }
  yield* sleep(process, Number.POSITIVE_INFINITY);
}

function whyNot({ reached: { kind } }: Opened): string | undefined {
  if (kind === "open" || kind === "answered" || kind === "outside") return undefined;
  if (kind === "unresolved") return "Name or service not known";
  return kind === "refused" ? "Connection refused" : "Connection timed out";
}

function request(words: readonly string[], { password, database }: Way) {
  const headers: (readonly [string, string])[] = [];
  if (password !== undefined) headers.push(["auth", password]);
  if (database !== 0) headers.push(["database", String(database)]);
  const command = words.length === 0 ? {} : { command: words };
  return { method: "RESP", path: "/", headers, body: words.join(" "), ...command };
}

/** What the server says. */
function* said(call: ProgramCall, way: Way, words: readonly string[]): Task<Reply> {
  const { process, err } = call;
  const { host, port, database, password } = way;
  const own = ownServer(process, way);
  if (own !== undefined) {
    const { settings } = own;
    // Each command reads all that was said before.
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

/** A server that this process has become itself; or is run beside, where no network is known. */
function ownServer(process: Process, { host, port }: Way): ListeningRedis | undefined {
  const isHere = host === "127.0.0.1" || host === "localhost" || host === process.self.address || host === process.host;
  if (!isHere || !process.ports.has(port)) return undefined;
  const isBeside = process.beside?.ports.has(port) ?? false;
  const server = isBeside ? process.beside?.server : process.server;
  return server instanceof ListeningRedis && !(isBeside && process.world.reach) ? server : undefined;
}

/** A server of which nothing is known. */
function plainReply([command = ""]: readonly string[]): Reply {
  const name = command.toUpperCase();
  if (name === "PING") return { status: "PONG" };
  if (name === "GET") return undefined;
  return { error: "READONLY You can't write against a read only replica." };
}

/** As redis-cli splits a line; undefined where a quote is not closed. */
function wordsOf(line: string): string[] | undefined {
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+))(?=\s|$)/gy;
  const words: string[] = [];
  let end = 0;
  for (const [whole, double, single, bare] of line.matchAll(pattern)) {
    words.push(double === undefined ? (single ?? bare ?? "") : unescaped(double));
    end += whole.length;
  }
  return line.slice(end).trim() === "" ? words : undefined;
}

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", a: "\x07", b: "\b" };
  return text.replace(/\\(x[0-9a-fA-F]{2}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (letters[code] ?? code),
  );
}
