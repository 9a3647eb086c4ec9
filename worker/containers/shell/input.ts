// What a program reads: a text that is all there, or one that is being typed, a piece at a time.
import { limits } from "../../../shared/base/limits.ts";
import { completedLine } from "../../../shared/base/completion.ts";
import { Stopped } from "../../../shared/shell/meter.ts";
import { elapse, type Process } from "./process.ts";
import { readMore, sleep } from "./system-call.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { charge } from "../../../shared/shell/meter.ts";
import type { Input } from "./shell.ts";

/** What was typed, and when. */
export interface Typed {
  readonly typed: readonly { readonly atMs: number; readonly text: string }[];
  /** Nothing more will come. */
  readonly hasEnded: boolean;
  /** A terminal: there are prompts, and Ctrl-C interrupts. */
  readonly isTerminal: boolean;
}

export interface TypedInput extends Input {
  readonly isTerminal: boolean;
  readonly more: (process: Process) => boolean;
  readonly nextMs: () => number;
  /** Told of a line that is asked about; what reads no lines of a shell is not asked. */
  asked?: ((line: string) => void) | undefined;
  /** When what runs is interrupted; Infinity if it is not. */
  interruptMs(): number;
  /** Goes on behind the interruption. */
  interrupt(): void;
}

/** A piece of its own: it is never in the middle of a text. */
const interruption = "\u0003";

export function typedInput({ typed, hasEnded, isTerminal }: Typed): TypedInput {
  let at = 0;
  const next = () => typed.findIndex((one, index) => index >= at && isTerminal && one.text === interruption);
  const input: TypedInput = {
    rest: "",
    isTerminal,
    nextMs: () => typed[at]?.atMs ?? (hasEnded ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY),
    more(process) {
      const piece = typed[at];
      // What is not typed yet is waited for.
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
        input.asked?.(line);
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

/** A line with its end; undefined at the end of the input, and where the process waits for it. */
export function* takeLine(process: Process, input: Input): Task<string | undefined> {
  while (!input.rest.includes("\n") && (yield* readMore(process, input)));
  if (process.paused || input.rest === "") return undefined;
  const end = input.rest.indexOf("\n") + 1;
  const line = end > 0 ? input.rest.slice(0, end) : input.rest;
  charge(process, line.length / 512);
  input.rest = input.rest.slice(line.length);
  return line;
}

/** All there is; undefined if the process waits for more. */
export function* takeAll(process: Process, input: Input | undefined): Task<string | undefined> {
  if (!input) return "";
  while (yield* readMore(process, input));
  if (process.paused) return undefined;
  const text = input.rest;
  input.rest = "";
  charge(process, text.length / 1024);
  return text;
}

/** Runs something until it ends or is interrupted; whether it was. */
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
  const given = Math.min(meter.reserve, Math.max(0, limits.interruptedWorkEach - meter.work));
  meter.reserve -= given;
  meter.work = Math.max(meter.work, 0) + given;
  input.interrupt();
  return true;
}
