// The calls of an interpreter to its container, by name: time, the network, other programs, visitors. Python and JavaScript share them.
import type { Task } from "../../../shared/shell/task.ts";
import { createHash } from "node:crypto";
import { statusText } from "../../../shared/base/status-text.ts";
import type { ServerAnswer } from "../../../shared/k8s/port-request.ts";
import { takeAll, takeLine } from "../shell/input.ts";
import type { ProgramCall } from "../shell/program.ts";
import { hostOf, pageOfOutside, urlOf } from "../shell/programs/http.ts";
import { open } from "../shell/programs/connection.ts";
import { resolve } from "../shell/programs/names/resolve.ts";
import { driveInside } from "../shell/drive.ts";
import type { Process } from "../shell/process.ts";
import { sleepUntil } from "../shell/system-call.ts";
import { charge, Stopped } from "../../../shared/shell/meter.ts";
import { redirected, subshell } from "../shell/shell.ts";
import { VisitCalls } from "./visit-calls.ts";
import { compilePattern, compileUnits, isPattern } from "../../../shared/base/pattern.ts";
import { type Json, jsonAnswer, respAnswer, sqlAnswer, sqliteAnswer } from "./databases.ts";
import { Left } from "./machine.ts";
import { type ProgramVisit, programServer, visitOf, visitPath } from "./visits.ts";

/** The size of the output buffer, like a pipe's. A terminal, or a program that disables buffering, has none. */
const bufferBytes = 8192;
/** The work of a visit, in addition to what the program does for it. */
const visitWork = 20;
/** The time limit of a client that sets none. */
const patienceMs = 133_000;

export class Host {
  readonly #call: ProgramCall;
  readonly #process: Process;
  #buffer = "";
  #isBuffered: boolean;
  readonly #visited = new Set<unknown>();
  #visit: ProgramVisit | undefined;
  #isPassing = false;
  #random: number;

  /** `isBuffered`: whether output is written in blocks, as Python does without a terminal. */
  constructor(call: ProgramCall, isBuffered: boolean) {
    this.#call = call;
    this.#process = call.process;
    this.#isBuffered = isBuffered;
    this.#random = (call.process.seed * 2_654_435_761 + Math.floor(call.process.clockMs)) >>> 0;
  }

  get clockMs(): number {
    return this.#process.clockMs;
  }

  /** Returns the sandbox's time. */
  readClock(): number {
    this.#isPassing = true;
    return this.#process.clockMs;
  }

  random(): number {
    this.#isPassing = true;
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#random ^ (this.#random >>> 15)) >>> 0;
  }

  /** Writes to stdout. */
  write(text: string): void {
    if (!this.#isBuffered) return this.#call.out(text);
    this.#buffer += text;
    if (this.#buffer.length >= bufferBytes) this.flush();
  }

  flush(): void {
    const text = this.#buffer;
    this.#buffer = "";
    if (text !== "") this.#call.out(text);
  }

  complain(text: string): void {
    this.#call.err(text);
  }

  /** Answers a call, `[name, ...arguments]` as JSON, in JSON. */
  ask(text: string): string {
    return driveInside(this.answer(text));
  }

  /** Answers a call like `ask`, for an interpreter whose stack is empty while it waits. */
  *answer(text: string): Task<string> {
    charge(this.#process, 1 + text.length / 512);
    // The library of the language wrote it.
    const [name, ...callArguments] = JSON.parse(text) as [string, ...Json[]];
    return JSON.stringify(yield* this.#answer(name, callArguments));
  }

  *#answer(name: string, callArguments: readonly Json[]): Task<Json> {
    const [first = null, second = null] = callArguments;
    switch (name) {
      case "wait":
        return yield* this.#wait(first === null ? undefined : Number(first), second === true);
      case "flush":
        this.flush();
        return null;
      case "error":
        this.complain(textOf(first));
        return null;
      case "traps":
        this.#call.shell.traps.set("TERM", ":");
        return null;
      case "listen":
        return this.#listen(Number(first));
      case "respond":
        return this.#respond(first);
      case "fetch":
        return yield* this.#fetch(first as { readonly [name: string]: Json });
      case "resolve":
        return yield* this.#resolve(textOf(first));
      case "run":
        return yield* this.#run(first as readonly string[], textOf(second));
      case "line":
        return yield* this.#line();
      case "input":
        return (yield* takeAll(this.#process, this.#call.input)) ?? this.#leave();
      case "clock":
        return this.readClock();
      case "now":
        return this.#process.clockMs;
      case "random":
        return this.random();
      case "match":
        return this.#match(textOf(first), second, callArguments[2] === true);
      case "memory":
        throw new Stopped("oom");
      case "hash":
        return createHash(first === "sha1" ? "sha1" : "sha256")
          .update(textOf(second))
          .digest("hex");
      case "sql":
        return this.#left(yield* sqlAnswer(this.#call, first as { readonly [name: string]: Json }));
      case "resp":
        return this.#left(yield* respAnswer(this.#call, first as { readonly [name: string]: Json }));
      case "exchange":
        return this.#left(yield* jsonAnswer(this.#call, textOf(first), second as { readonly [name: string]: Json }));
      case "sqlite":
        return this.#left(sqliteAnswer(this.#call, first as { readonly [name: string]: Json }));
      case "connect":
        return yield* this.#connect(first as { readonly [name: string]: Json });
      default:
        return null;
    }
  }

  /** Returns the answer, unless the time is over by then. */
  #left(answer: Json): Json {
    return this.#process.paused ? this.#leave() : answer;
  }

  #leave(): never {
    throw new Left();
  }

  /** Lets time pass until a moment, until a visitor comes if one is awaited, or until a trapped signal. */
  *#wait(ms: number | undefined, isServing: boolean): Task<Json> {
    const process = this.#process;
    const { clockMs } = process;
    if (isServing && !this.#visit) process.horizon.visitId = undefined;
    const traps = this.#call.shell.traps.has("TERM") && !process.termSeen;
    const endMs = ms === undefined ? Number.POSITIVE_INFINITY : clockMs + ms;
    const termMs = traps ? Math.max(process.termMs, clockMs) : Number.POSITIVE_INFINITY;
    const nextVisit = () => (isServing ? this.#nextVisit() : undefined);
    const visitMsOf = (visit = nextVisit()) => Math.max(visit?.atMs ?? Number.POSITIVE_INFINITY, clockMs);
    yield* sleepUntil(process, () => Math.min(endMs, visitMsOf(), termMs));
    if (process.paused) this.#leave();
    const next = nextVisit();
    if (termMs <= process.clockMs) {
      process.termSeen = true;
      return { signal: 15 };
    }
    if (!next || visitMsOf(next) > process.clockMs) return {};
    charge(process, visitWork);
    this.#visited.add(next);
    this.#visit = visitOf(next);
    beginVisit(process, this.#visit);
    this.#isPassing = false;
    const { calls: _calls, ...visit } = this.#visit;
    return {
      visit: {
        ...visit,
        atMs: process.clockMs,
        headers: visit.headers.map(([name, value]) => [name, value]),
      },
    };
  }

  #nextVisit(): Process["outside"][number] | undefined {
    return this.#process.outside.find(
      (outsideEdit) => outsideEdit.path === visitPath && !this.#visited.has(outsideEdit),
    );
  }

  #listen(port: number): Json {
    const process = this.#process;
    if (process.ports.has(port) && !process.ownPorts.has(port)) return false;
    process.ownPorts.add(port);
    process.ports.set(port, process.clockMs);
    process.server ??= programServer;
    return true;
  }

  #respond(response: Json): Json {
    if (!this.#visit) return null;
    const { status, headers, body } = response as {
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: string;
    };
    const answer = { status, headers, body, atMs: this.#process.clockMs, isPassing: this.#isPassing };
    this.#process.answers.set(this.#visit.id, answer);
    this.#visit = undefined;
    return null;
  }

  /** Sends an HTTP request. Returns `{ error }` with the reason if no answer came. */
  *#fetch(options: { readonly [name: string]: Json }): Task<Json> {
    const url = urlOf(textOf(options["url"]));
    if (!url || (url.scheme !== "http" && url.scheme !== "https")) return { error: "unknown" };
    const limitMs = options["timeoutMs"] === null ? patienceMs : Number(options["timeoutMs"]);
    const requestHeaders = (options["headers"] ?? []) as readonly (readonly [string, string])[];
    const headers = [["Host", hostOf(url)] as const, ...requestHeaders];
    const request = { method: textOf(options["method"]), path: url.path, headers, body: textOf(options["body"]) };
    const { reached, address } = yield* open(this.#process, { host: url.host, port: url.port, request, limitMs });
    if (this.#process.paused) this.#leave();
    const from = { host: url.host, port: url.port, path: url.path, address: address ?? "" };
    if (reached.kind === "outside") return { ...from, ...answered(pageOfOutside(url)) };
    if (reached.kind !== "answered" || !reached.answer) return { ...from, error: reached.kind };
    return { ...from, ...answered(reached.answer) };
  }

  /** Returns the matches of an expression in Python's dialect, each with its start, its end and its groups. */
  #match(source: string, text: Json, isAll: boolean): Json {
    const bare = textOf(text);
    const spend = (units: number) => charge(this.#process, units);
    spend(compileUnits(source));
    const pattern = compilePattern(source);
    if (!isPattern(pattern)) return { error: pattern.error };
    const first = isAll ? undefined : pattern.find(bare, 0, spend);
    const matches = isAll ? [...pattern.findAll(bare, spend)] : first ? [first] : [];
    return matches.map(({ groups, start, end }) => [start, end, groups.map((group) => group ?? null)]);
  }

  *#connect(options: { readonly [name: string]: Json }): Task<Json> {
    const limitMs = options["timeoutMs"] === null ? patienceMs : Number(options["timeoutMs"]);
    const { reached } = yield* open(this.#process, {
      host: textOf(options["host"]),
      port: Number(options["port"]),
      limitMs,
    });
    if (this.#process.paused) this.#leave();
    return reached.kind;
  }

  *#resolve(name: string): Task<Json> {
    const resolved = yield* resolve(this.#process, name);
    return resolved?.addresses[0] ?? null;
  }

  /** Runs another program to its end. Returns its output and its exit code. */
  *#run(words: readonly string[], input: string): Task<Json> {
    const { shell } = this.#call;
    this.flush();
    let [out, err] = ["", ""];
    const streams = redirected(subshell(shell), {
      input: { rest: input },
      out: (text) => void (out += text),
      err: (text) => void (err += text),
    });
    const inner = { ...streams, captured: true, last: false, own: false };
    yield* shell.run(inner, words);
    if (this.#process.paused) this.#leave();
    return { out, err, code: inner.exitCode };
  }

  *#line(): Task<Json> {
    const { input } = this.#call;
    const line = input ? yield* takeLine(this.#process, input) : undefined;
    if (this.#process.paused) this.#leave();
    return line ?? null;
  }
}

function beginVisit({ horizon, world }: Process, { id, calls }: ProgramVisit): void {
  horizon.visitId = id;
  horizon.visits.set(id, new VisitCalls(calls ?? world.onward?.(id)?.calls));
}

/** Returns "" for values other than texts. */
function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function answered({ status, contentType, headers = [], body }: ServerAnswer): { readonly [name: string]: Json } {
  const type = contentType === "" ? [] : [["Content-Type", contentType]];
  return { status, reason: statusText(status), headers: [...type, ...headers.map(([a, b]) => [a, b])], body };
}
