// redis-cli, and the little of Redis that it and others ask: keys with texts, which the server keeps as a log of commands in a file.
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { before } from "../../../../shared/base/trim.ts";
import type { Files } from "../files.ts";
import { isTyped, takeLine } from "../input.ts";
import { charge } from "../meter.ts";
import { edit } from "../process.ts";
import { type Call, linesOf, options } from "../program.ts";
import { kernelMs, open } from "./connection.ts";

/** Where the server's data are. */
export const logPath = "/data/appendonly.aof";
const version = "8.2.1";
/** Of the log, in characters and commands: each command reads it, so what is longer takes no more. */
const mostLog = { characters: 262_144, commands: 2000 };

/** Prints what is said as a terminal shows it, or as another program reads it. */
export function redisCli(call: Call): number {
  const { process, input, out } = call;
  const { values, rest } = options(call.args, "hpanu");
  const host = values.get("h") ?? "127.0.0.1";
  const port = Number(values.get("p") ?? 6379);
  const opened = open(process, { host, port, request: asked([]), limitMs: kernelMs });
  if (process.paused) return 1;
  const { kind } = opened.reached;
  if (kind !== "open" && kind !== "answered" && kind !== "outside") {
    const why =
      kind === "unresolved"
        ? "Name or service not known"
        : kind === "refused"
          ? "Connection refused"
          : "Connection timed out";
    call.err(`Could not connect to Redis at ${host}:${port}: ${why}\n`);
    return 1;
  }
  const isOwn = host === "127.0.0.1" || host === "localhost" || host === process.self.address || host === process.host;
  const say = (words: readonly string[], isSeen: boolean) => {
    // Each command reads all that was said before.
    charge(process, 5 + (process.files.get(logPath)?.text ?? "").length / 16);
    const { reply, log } = isOwn ? redis(words, process.files) : { reply: plainReply(words), log: undefined };
    if (log !== undefined) edit(process, { path: logPath, text: log, appends: true });
    out(shown(reply, isSeen));
  };
  const isTerminal = isTyped(input) && input.isTerminal;
  if (rest.length > 0) {
    say(rest, isTerminal);
    return 0;
  }
  while (input && !process.paused) {
    if (isTerminal) out(`${host}:${port}> `);
    const line = takeLine(process, input)?.trim();
    if (line === undefined || /^(quit|exit)$/i.test(line)) break;
    if (line !== "") say(wordsOf(line), isTerminal);
  }
  return 0;
}

const asked = (words: readonly string[]) => ({ method: "REDIS", path: "/", headers: [], body: words.join(" ") });

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}

/** A status, a text, a number, nothing, a failure, a list. */
type Reply = { readonly status: string } | { readonly error: string } | string | number | undefined | readonly string[];

/** Another's keys are not seen from here, nor changed. */
function plainReply([command = ""]: readonly string[]): Reply {
  const name = command.toUpperCase();
  if (name === "PING") return { status: "PONG" };
  if (name === "GET") return undefined;
  return { error: "READONLY You can't write against a read only replica." };
}

/** What a server says to a command on a connection, in its protocol, and what it writes at the end of its log. */
export function redisAnswer(words: readonly string[], files: Files): { readonly body: string; readonly log?: string } {
  const { reply, log } = redis(words, files);
  return { body: spoken(reply), ...(log === undefined ? {} : { log }) };
}

interface Done {
  readonly reply: Reply;
  /** What is to be remembered. */
  readonly log?: string;
}

function redis([command = "", ...args]: readonly string[], files: Files): Done {
  const name = command.toUpperCase();
  const text = files.get(logPath)?.text ?? "";
  const commands = linesOf(text);
  const keys = keysIn(commands);
  const [key = "", value = ""] = args;
  const kept = (reply: Reply, ...words: string[]): Done => ({ reply, log: `${JSON.stringify(words)}\n` });
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
    return Array.isArray(words) ? words.map(String) : [];
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
