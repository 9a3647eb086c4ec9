// The input of a program: a complete text, or text that is typed piece by piece.
import { limits } from "../../../shared/base/limits.ts";
import { completedLine } from "../../../shared/base/completion.ts";
import { Stopped, charge } from "../../../shared/shell/meter.ts";
import { elapse, type Process } from "./process.ts";
import { readMore, sleep } from "./system-call.ts";
import type { Task } from "../../../shared/shell/task.ts";
import type { Input } from "./shell.ts";

/** Typed text, with times. */
export interface Typed {
  readonly typed: readonly { readonly atMs: number; readonly text: string }[];
  /** Whether no more input will come. */
  readonly hasEnded: boolean;
  /** Whether the input is a terminal: there are prompts, and Ctrl-C interrupts. */
  readonly isTerminal: boolean;
}

export interface TypedInput extends Input {
  readonly isTerminal: boolean;
  readonly more: (process: Process) => boolean;
  readonly nextMs: () => number;
  /** Completes a line after Tab. Undefined if no shell reads the lines. */
  completeLine?: ((line: string) => void) | undefined;
  /** Returns when the running command is interrupted; Infinity if it is not. */
  interruptMs(): number;
  /** Skips the input up to the interruption. */
  interrupt(): void;
}

/** The character of an interruption. It is always a piece of its own. */
const interruption = "\u0003";

export function typedInput({ typed, hasEnded, isTerminal }: Typed): TypedInput {
  let at = 0;
  const next = () => typed.findIndex((piece, index) => index >= at && isTerminal && piece.text === interruption);
  const input: TypedInput = {
    rest: "",
    isTerminal,
    nextMs: () => typed[at]?.atMs ?? (hasEnded ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY),
    more(process) {
      const piece = typed[at];
      // The process waits for input that is not typed yet.
      if (!piece && !hasEnded) elapse(process, Number.POSITIVE_INFINITY);
      if (!piece) return false;
      elapse(process, Math.max(0, piece.atMs - process.clockMs));
      if (process.paused) return false;
      if (isTerminal && piece.text === interruption) {
        process.paused = true;
        return false;
      }
      at++;
      const line = isTerminal ? completedLine(piece.text) : undefined;
      if (line !== undefined) {
        charge(process, 1);
        input.completeLine?.(line);
        return true;
      }
      charge(process, 1 + input.rest.length / 512);
      input.rest += piece.text;
      return true;
    },
    interruptMs: () => typed[next()]?.atMs ?? Number.POSITIVE_INFINITY,
    interrupt() {
      at = next() + 1;
      input.rest = "";
    },
  };
  return input;
}

export function isTyped(input: Input | undefined): input is TypedInput {
  return input?.more !== undefined;
}

/** Reads a line with its end; undefined at the end of the input, and while the process waits for more. */
export function* takeLine(process: Process, input: Input): Task<string | undefined> {
  while (!input.rest.includes("\n") && (yield* readMore(process, input)));
  if (process.paused || input.rest === "") return undefined;
  const end = input.rest.indexOf("\n") + 1;
  const line = end > 0 ? input.rest.slice(0, end) : input.rest;
  charge(process, line.length / 512);
  input.rest = input.rest.slice(line.length);
  return line;
}

/** Reads all input; undefined while the process waits for more. */
export function* takeAll(process: Process, input: Input | undefined): Task<string | undefined> {
  if (!input) return "";
  while (yield* readMore(process, input));
  if (process.paused) return undefined;
  const text = input.rest;
  input.rest = "";
  charge(process, text.length / 1024);
  return text;
}

/** Runs a task until it ends or is interrupted. Returns whether it was interrupted. */
export function* interruptible(process: Process, input: TypedInput, task: Task<void>): Task<boolean> {
  const { untilMs } = process;
  const limitMs = input.interruptMs();
  const isLimited = limitMs <= untilMs && limitMs !== Number.POSITIVE_INFINITY;
  if (isLimited) process.untilMs = limitMs;
  const { meter } = process;
  const { depth } = meter;
  try {
    yield* task;
  } catch (error) {
    if (!(error instanceof Stopped) || error.how !== "spent" || !isLimited) throw error;
    process.paused = true;
    meter.depth = depth;
  } finally {
    process.untilMs = untilMs;
  }
  if (!process.paused || !isLimited) return false;
  process.paused = false;
  process.endless = false;
  process.restless = false;
  yield* sleep(process, Math.max(0, limitMs - process.clockMs));
  const refund = Math.min(meter.reserve, Math.max(0, limits.interruptedWorkEach - meter.work));
  meter.reserve -= refund;
  meter.work = Math.max(meter.work, 0) + refund;
  input.interrupt();
  return true;
}
