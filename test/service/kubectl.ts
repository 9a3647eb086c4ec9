// The real kubectl, driven with command lines as a person types them.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Kubectl as Binary } from "./binaries.ts";
import type { TestSandbox } from "./sandbox.ts";

/** A command that has not ended after this is killed: none of the tests waits so long. */
const commandMs = 90_000;

export interface Run {
  /** The exit code; null if it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Kubectl extends Binary {
  readonly sandbox: TestSandbox;
  /** A folder of its own, for manifests; commands run in it. */
  readonly folder: string;
  /** Runs a command line, split at spaces outside quotes. */
  run(line: string, options?: RunOptions): Promise<Run>;
  /** Runs a command that must succeed, and returns its output. */
  ok(line: string, options?: RunOptions): Promise<string>;
  /** Runs a command that must fail with this exit code (default 1), and returns its stderr. */
  fails(line: string, options?: RunOptions & { code?: number }): Promise<string>;
  /** Starts a long-running command, such as a watch. */
  start(line: string): Going;
  /** Writes a file into the folder. */
  write(name: string, text: string): void;
}

export interface Going {
  output(): string;
  /** Waits until the output matches. */
  until(pattern: RegExp): Promise<void>;
  /** Ends it as Ctrl-C would. */
  interrupt(): Promise<Run>;
  readonly ended: Promise<Run>;
}

export function kubectlFor(binary: Binary, sandbox: TestSandbox): Kubectl {
  const folder = mkdtempSync(join(sandbox.service.data, "kubectl-"));
  const launchLine = (line: string, options: RunOptions = {}) =>
    launch(binary.path, split(line), sandbox, folder, options);
  const run = (line: string, options?: RunOptions) => launchLine(line, options).ended;
  return {
    ...binary,
    sandbox,
    folder,
    run,
    ok: async (line, options) => {
      const result = await run(line, options);
      expect(result.code, `kubectl ${line}\n${result.stdout}${result.stderr}`).toBe(0);
      return result.stdout;
    },
    fails: async (line, options = {}) => {
      const result = await run(line, options);
      expect(result.code, `kubectl ${line}\n${result.stdout}${result.stderr}`).toBe(options.code ?? 1);
      return result.stderr;
    },
    start: (line) => launchLine(line),
    write: (name, text) => writeFileSync(join(folder, name), text),
  };
}

/** The columns of a table that kubectl printed: one record a row, by the names of the head. */
export function rows(table: string): Record<string, string>[] {
  const [head = "", ...body] = table.trimEnd().split("\n");
  const starts = [...head.matchAll(/\S+( \S+)*/g)].map((match) => ({ name: match[0], at: match.index }));
  return body.map((line) =>
    Object.fromEntries(starts.map(({ name, at }, index) => [name, line.slice(at, starts[index + 1]?.at).trim()])),
  );
}

/** Milliseconds between two questions of `eventually`, at least and at most. */
const pauseMs = { min: 100, max: 1_000 };
/** The pause is this many times as long as the question took, so that a long wait leaves the processor to the tests beside it. */
const pauseOfAsking = 4;

/** Waits until something holds. A question that takes long, such as a run of kubectl, is asked less often. */
export async function eventually<T>(
  what: () => string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 30_000,
): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const askedMs = Date.now();
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${what()}`);
    const waitMs = Math.min(Math.max(pauseMs.min, pauseOfAsking * (Date.now() - askedMs)), pauseMs.max);
    await new Promise((done) => void setTimeout(done, waitMs));
  }
}

function launch(path: string, words: string[], sandbox: TestSandbox, folder: string, options: RunOptions): Going {
  const home = join(folder, ".home");
  mkdirSync(home, { recursive: true });
  const child = spawn(path, words, {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: sandbox.kubeconfig, ...options.environment },
  });
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => void (text.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (text.stderr += chunk.toString()));
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const timer = setTimeout(() => child.kill("SIGKILL"), commandMs);
  const ended = new Promise<Run>((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => {
      clearTimeout(timer);
      done({ code, ...text });
    });
  });
  const output = () => text.stdout + text.stderr;
  return {
    output,
    ended,
    until: async (pattern) => {
      await eventually(
        () => `kubectl ${words.join(" ")} prints ${pattern}; it printed:\n${output()}`,
        () => pattern.test(output()),
      );
    },
    interrupt: () => {
      child.kill("SIGINT");
      return ended;
    },
  };
}

/** As a shell splits: quotes hold words together. */
function split(line: string): string[] {
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""),
  );
}
