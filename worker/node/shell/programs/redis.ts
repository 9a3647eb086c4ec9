// redis-cli, and the little of Redis that it and others ask: keys with texts, which the server keeps as a log of commands in a file.
import { byteLength, bytesOfText, textOfBytes } from "../../../../shared/base/byte-text.ts";
import { stableHex } from "../../../../shared/base/stable.ts";
import { before } from "../../../../shared/base/trim.ts";
import type { Files } from "../files.ts";
import { isTyped, takeLine } from "../input.ts";
import { charge } from "../meter.ts";
import { edit } from "../process.ts";
import { type Call, linesOf, options } from "../program.ts";
import { kernelMs, open, type Opened } from "./connection.ts";

/** Where the server's data are. */
export const logPath = "/data/appendonly.aof";
const version = "8.2.1";
/** Of the log, in characters and commands: each command reads it, so what is longer takes no more. */
const mostLog = { characters: 262_144, commands: 2000 };

/** Prints what is said as a terminal shows it, or as another program reads it. */
export function redisCli(call: Call): number {
  const { process, input, out, err, shell } = call;
  const { values, rest } = options(call.args, "hpanu");
  const host = values.get("h") ?? "127.0.0.1";
  const port = Number(values.get("p") ?? 6379);
  const password = values.get("a") ?? values.get("pass") ?? shell.variables.get("REDISCLI_AUTH");
  if (values.has("a"))
    err("Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n");
  const way: Way = { host, port, password };
  const opened = open(process, { host, port, request: asked([]), limitMs: kernelMs });
  if (process.paused) return 1;
  const why = whyNot(opened);
  if (why !== undefined) {
    err(`Could not connect to Redis at ${host}:${port}: ${why}\n`);
    return 1;
  }
  const isTerminal = isTyped(input) && input.isTerminal;
  if (rest.length > 0) {
    const reply = said(call, way, rest);
    if (process.paused) return 1;
    out(shown(reply, isTerminal));
    return isError(reply) ? 1 : 0;
  }
  while (input && !process.paused) {
    if (isTerminal) out(`${host}:${port}> `);
    const line = takeLine(process, input)?.trim();
    if (line === undefined || /^(quit|exit)$/i.test(line)) break;
    if (line === "") continue;
    const words = wordsOf(line);
    if (/^auth$/i.test(words[0] ?? "")) way.password = words.at(-1);
    const reply = said(call, way, words);
    if (!process.paused) out(shown(reply, isTerminal));
  }
  return 0;
}

interface Way {
  readonly host: string;
  readonly port: number;
  password: string | undefined;
}

function whyNot({ reached: { kind } }: Opened): string | undefined {
  if (kind === "open" || kind === "answered" || kind === "outside") return undefined;
  if (kind === "unresolved") return "Name or service not known";
  return kind === "refused" ? "Connection refused" : "Connection timed out";
}

/** What the server says; its own container's keys are in files that are there. */
function said({ process, err }: Call, { host, port, password }: Way, words: readonly string[]): Reply {
  const isOwn = host === "127.0.0.1" || host === "localhost" || host === process.self.address || host === process.host;
  if (isOwn) {
    // Each command reads all that was said before.
    charge(process, 5 + (process.files.get(logPath)?.text ?? "").length / 16);
    const id = stableHex(JSON.stringify([process.clockMs, process.edits.length, words]), 16);
    const { reply, log } = redis(words, process.files, id, password);
    if (log !== undefined) edit(process, { path: logPath, text: log, appends: true });
    return reply;
  }
  const headers = password === undefined ? [] : [["auth", password] as const];
  const opened = open(process, {
    host,
    port,
    request: { ...asked(words), headers, command: words },
    limitMs: kernelMs,
  });
  const { reached } = opened;
  if (reached.kind === "answered" && reached.answer?.language === "redis") return heard(reached.answer.body).reply;
  const why = whyNot(opened);
  if (why !== undefined && !process.paused) err(`Could not connect to Redis at ${host}:${port}: ${why}\n`);
  return plainReply(words);
}

function isError(reply: Reply): boolean {
  return typeof reply === "object" && !Array.isArray(reply) && "error" in reply;
}

/** What `spoken` wrote. */
function heard(text: string, from = 0): { readonly reply: Reply; readonly end: number } {
  const lineEnd = text.indexOf("\r\n", from);
  const line = text.slice(from + 1, lineEnd);
  const end = lineEnd + 2;
  switch (text.charAt(from)) {
    case "+":
      return { reply: { status: line }, end };
    case "-":
      return { reply: { error: line }, end };
    case ":":
      return { reply: Number(line), end };
    case "*": {
      const all: string[] = [];
      let at = end;
      for (let left = Number(line); left > 0; left--) {
        const one = heard(text, at);
        all.push(typeof one.reply === "string" ? one.reply : "");
        at = one.end;
      }
      return { reply: all, end: at };
    }
    default: {
      const length = Number(line);
      if (length < 0) return { reply: undefined, end };
      const body = textOfBytes(bytesOfText(text.slice(end)).subarray(0, length));
      return { reply: body, end: end + body.length + 2 };
    }
  }
}

const asked = (words: readonly string[]) => ({ method: "REDIS", path: "/", headers: [], body: words.join(" ") });

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}

/** A status, a text, a number, nothing, a failure, a list. */
type Reply = { readonly status: string } | { readonly error: string } | string | number | undefined | readonly string[];

/** A server of which nothing is known. */
function plainReply([command = ""]: readonly string[]): Reply {
  const name = command.toUpperCase();
  if (name === "PING") return { status: "PONG" };
  if (name === "GET") return undefined;
  return { error: "READONLY You can't write against a read only replica." };
}

/** What a server says to a command on a connection, in its protocol, and what it writes at the end of its log. */
export function redisAnswer(
  words: readonly string[],
  files: Files,
  id: string,
  password?: string,
): { readonly body: string; readonly log?: string } {
  const { reply, log } = redis(words, files, id, password);
  return { body: spoken(reply), ...(log === undefined ? {} : { log }) };
}

interface Done {
  readonly reply: Reply;
  /** What is to be remembered. */
  readonly log?: string;
}

/** `id`: of the command, which may have been worked out and noted before. */
function redis([command = "", ...args]: readonly string[], files: Files, id: string, password?: string): Done {
  const name = command.toUpperCase();
  const refusal = refusalOf(name, args, passwordOf(files), password);
  if (refusal) return { reply: refusal };
  const text = files.get(logPath)?.text ?? "";
  const seen = new Set([id]);
  const commands = linesOf(text).filter((line) => {
    const [, own] = /^\["#(\w+)"/.exec(line) ?? [];
    return own === undefined || (!seen.has(own) && seen.add(own));
  });
  const keys = keysIn(commands);
  const [key = "", value = ""] = args;
  const kept = (reply: Reply, ...words: string[]): Done => ({
    reply,
    log: `${JSON.stringify([`#${id}`, ...words])}\n`,
  });
  const wrong = { reply: { error: `ERR wrong number of arguments for '${command.toLowerCase()}' command` } };
  const needs: Record<string, number> = { GET: 1, SET: 2, INCR: 1, DECR: 1, DEL: 1, EXISTS: 1, KEYS: 1, ECHO: 1 };
  if (args.length < (needs[name] ?? 0)) return wrong;
  const isFull = text.length > mostLog.characters || commands.length >= mostLog.commands;
  if (isFull && ["SET", "INCR", "DECR"].includes(name)) {
    return { reply: { error: "OOM command not allowed when used memory > 'maxmemory'." } };
  }
  switch (name) {
    case "PING":
      return { reply: key === "" ? { status: "PONG" } : key };
    case "ECHO":
      return { reply: key };
    case "QUIT":
      return { reply: { status: "OK" } };
    case "GET":
      return { reply: keys.get(key) };
    case "SET":
      return kept({ status: "OK" }, "SET", key, value);
    case "INCR":
    case "DECR": {
      const number = Number(keys.get(key) ?? 0) + (name === "INCR" ? 1 : -1);
      if (Number.isNaN(number)) return { reply: { error: "ERR value is not an integer or out of range" } };
      return kept(number, "SET", key, String(number));
    }
    case "DEL": {
      const found = args.filter((one) => keys.has(one));
      return found.length > 0 ? kept(found.length, "DEL", ...found) : { reply: 0 };
    }
    case "EXISTS":
      return { reply: args.filter((one) => keys.has(one)).length };
    case "KEYS":
      return { reply: [...keys.keys()].filter((one) => key === "*" || one.startsWith(before(key, "*"))) };
    case "DBSIZE":
      return { reply: keys.size };
    case "FLUSHALL":
    case "FLUSHDB":
      return keys.size > 0 ? kept({ status: "OK" }, "DEL", ...keys.keys()) : { reply: { status: "OK" } };
    case "CONFIG":
      return { reply: configOf(files, value) };
    case "INFO":
      return {
        reply: `# Server\r\nredis_version:${version}\r\n\r\n# Replication\r\nrole:master\r\nconnected_slaves:0\r\n`,
      };
    default:
      return {
        reply: {
          error: `ERR unknown command '${command}', with args beginning with: ${args.map((one) => `'${one}' `).join("")}`,
        },
      };
  }
}

/** Undefined for who may go on. */
function refusalOf(
  name: string,
  args: readonly string[],
  wanted: string | undefined,
  given: string | undefined,
): Reply | undefined {
  if (name === "AUTH") {
    if (wanted === undefined) return { error: noPassword };
    return args.at(-1) === wanted ? { status: "OK" } : { error: wrongPassword };
  }
  if (wanted === undefined || given === wanted || name === "QUIT") return undefined;
  return { error: "NOAUTH Authentication required." };
}

const noPassword =
  "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?";
const wrongPassword = "WRONGPASS invalid username-password pair or user is disabled.";

/** What its command or its configuration asks for. */
function passwordOf(files: Files): string | undefined {
  const command = (files.get("/proc/1/cmdline")?.text ?? "").split("\0");
  const at = command.indexOf("--requirepass");
  if (at >= 0) return command[at + 1];
  return configOf(files, "requirepass")[1];
}

function keysIn(commands: readonly string[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const line of commands) {
    const [name, ...args] = wordsIn(line);
    if (name === "SET") keys.set(args[0] ?? "", args[1] ?? "");
    else for (const one of args) keys.delete(one);
  }
  return keys;
}

/** A line of the log; none of a line that somebody else has written there. */
function wordsIn(line: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(line);
    const all = Array.isArray(words) ? words.map(String) : [];
    return all[0]?.startsWith("#") ? all.slice(1) : all;
  } catch {
    return [];
  }
}

/** What the file says that its server was started with, or what it is without one. */
function configOf(files: Files, name: string): readonly string[] {
  const defaults: Record<string, string> = {
    maxmemory: "0",
    "maxmemory-policy": "noeviction",
    appendonly: "no",
    port: "6379",
  };
  const command = (files.get("/proc/1/cmdline")?.text ?? "").split("\0");
  const text = command.flatMap((one) => (one.endsWith(".conf") ? [files.get(one)?.text ?? ""] : [])).join("\n");
  const said = new Map(
    linesOf(text).map((line) => [line.trim().split(/\s+/)[0] ?? "", line.trim().split(/\s+/).slice(1).join(" ")]),
  );
  const value = said.get(name) ?? defaults[name];
  if (value === undefined) return [];
  const size = /^(\d+)([kmg])b$/i.exec(value);
  const unit = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[(size?.[2] ?? "").toLowerCase()];
  return [name, size && unit ? String(Number(size[1]) * unit) : value];
}

/** In RESP 2. */
function spoken(reply: Reply): string {
  const bulk = (text: string) => `$${byteLength(text)}\r\n${text}\r\n`;
  if (reply === undefined) return "$-1\r\n";
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return bulk(reply);
  if ("status" in reply) return `+${reply.status}\r\n`;
  // One line, whatever was asked.
  if ("error" in reply) return `-${reply.error.replace(/[\r\n]+/g, " ")}\r\n`;
  return `*${reply.length}\r\n${reply.map(bulk).join("")}`;
}

function shown(reply: Reply, isSeen: boolean): string {
  if (reply === undefined) return isSeen ? "(nil)\n" : "\n";
  if (typeof reply === "number") return isSeen ? `(integer) ${reply}\n` : `${reply}\n`;
  if (typeof reply === "string") return isSeen && !reply.includes("\r\n") ? `${JSON.stringify(reply)}\n` : `${reply}\n`;
  if ("status" in reply) return `${reply.status}\n`;
  if ("error" in reply) return isSeen ? `(error) ${reply.error}\n` : `${reply.error}\n\n`;
  if (!isSeen) return reply.map((one) => `${one}\n`).join("") || "\n";
  return reply.map((one, at) => `${at + 1}) ${JSON.stringify(one)}\n`).join("") || "(empty array)\n";
}
