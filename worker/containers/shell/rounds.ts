// Rounds of loops. A round that changes nothing is not run again: time passes without it.
import type { Rounds } from "../../../shared/shell/evaluate/shell.ts";
import { type Command, type List, literal } from "../../../shared/shell/language/syntax.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { nextOutsideMs, type Process } from "./process.ts";
import { forgetSeries, type Shell } from "./shell.ts";
import { repeat, sleep } from "./system-call.ts";

interface Loop {
  readonly condition: List;
  readonly list: List;
  readonly until: boolean;
}

/** The minimum duration of a round. */
export const roundMs = 10;
/** The limits of the last equal rounds, which are run for their output and for lines in others' logs. */
const printedWork = 100_000;
const printedRounds = 2_000;

export class LoopRounds implements Rounds {
  readonly #shell: Shell;
  readonly #loop: Loop;
  #round = 0;
  #grownBefore = Number.POSITIVE_INFINITY;
  #version = 0;
  #clockMs = 0;
  #bytes = 0;
  #edits = 0;
  #seed = 0;
  #work = 0;
  #series: AlikeRounds | undefined;

  constructor(shell: Shell, loop: Loop) {
    this.#shell = shell;
    this.#loop = loop;
  }

  begin(): void {
    const { process } = this.#shell;
    this.#round++;
    this.#version = process.version;
    this.#clockMs = process.clockMs;
    this.#bytes = process.meter.bytes;
    this.#edits = process.edits.length;
    this.#seed = process.seed;
    this.#work = process.meter.work;
    process.validUntilMs = Number.POSITIVE_INFINITY;
  }

  end(): Task<void> | undefined {
    const { process } = this.#shell;
    if (process.clockMs === this.#clockMs) return this.#passTime();
    return this.#skip();
  }

  leave(): void {
    if (this.#series) this.#series = endSeries(this.#shell.process);
  }

  *#passTime(): Task<void> {
    yield* sleep(this.#shell.process, roundMs);
    const task = this.#skip();
    if (task) yield* task;
  }

  #skip(): Task<void> | undefined {
    const { process } = this.#shell;
    const periodMs = process.clockMs - this.#clockMs;
    // A loop whose memory grows eventually reaches the limit.
    const grown = process.meter.bytes - this.#bytes;
    const isGrowing = grown > this.#grownBefore;
    this.#grownBefore = grown;
    if (process.version === this.#version && nextOutsideMs(process) === Number.POSITIVE_INFINITY)
      return this.#skipAlike(periodMs);
    this.#series = endSeries(process);
    if (this.#round <= 1 || followedToMs(process) !== Number.POSITIVE_INFINITY) return undefined;
    return !isGrowing && isEndless(this.#shell, this.#loop) ? this.#repeatForEver() : undefined;
  }

  *#skipAlike(periodMs: number): Task<void> {
    const { process } = this.#shell;
    // Each of the rounds begins with the same seed, however many are run.
    process.seed = this.#seed;
    // The first may cost more than the others, as where it starts what it asks.
    if (this.#round === 1 && process.prints && followedToMs(process) !== Number.POSITIVE_INFINITY) return;
    const work = Math.max(1, this.#work - process.meter.work);
    this.#series = yield* skipRounds(this.#shell, { periodMs, work }, this.#series);
    process.awaitsOthers = process.endless && !isEndless(this.#shell, this.#loop);
  }

  *#repeatForEver(): Task<void> {
    const { process } = this.#shell;
    yield* repeat(process);
    process.restless = process.edits.length > this.#edits;
  }
}

function endSeries({ series }: Process): undefined {
  if (!series.isOpen) return;
  series.isOpen = false;
  series.chunks = [];
}

/** Equal rounds that follow a round without changes. */
interface AlikeRounds {
  readonly firstMs: number;
  /** The number of the last rounds that are run. */
  readonly most: number;
  /** The remaining work when the rounds began. */
  readonly work: number;
  /** The time up to which the rounds were followed. */
  readonly endMs: number;
}

/**
 * Skips rounds that would do the same until something changes from outside. A resumed run skips rounds that it has run before and forgets
 * their output, so that the result does not depend on how often it was resumed.
 */
function* skipRounds(
  { process, traps }: Shell,
  { periodMs, work: roundWork }: { readonly periodMs: number; readonly work: number },
  begun: AlikeRounds | undefined,
): Task<AlikeRounds | undefined> {
  if (process.paused) return undefined;
  // An object that the loop waits for was created, so the next round finds it.
  if (process.validUntilMs <= process.clockMs) return undefined;
  const { meter, series } = process;
  if (!begun) {
    series.isOpen = true;
    series.chunks = [];
  }
  const termMs = traps.has("TERM") && !process.termSeen ? process.termMs : Number.POSITIVE_INFINITY;
  const endMs = Math.min(followedToMs(process), termMs, process.validUntilMs);
  series.validUntilMs = process.validUntilMs;
  if (endMs === Number.POSITIVE_INFINITY) {
    yield* repeat(process);
    return undefined;
  }
  if (begun?.endMs === endMs) return begun;
  const { firstMs, work, most } = begun ?? {
    firstMs: process.clockMs,
    work: meter.work,
    most: process.prints ? Math.min(printedRounds, Math.ceil(printedWork / roundWork)) : 1,
  };
  const left = Math.max(0, Math.floor((endMs - firstMs) / periodMs) - most);
  const leftMs = firstMs + left * periodMs;
  // Skipped rounds cost nothing, whether or not some of them were run.
  const run = Math.round((process.clockMs - firstMs) / periodMs);
  if (run > 0) {
    const rest = Math.max(0, run - left);
    meter.work = work - (Math.max(0, work - meter.work) * Math.min(rest, most)) / Math.min(run, most);
    forgetSeries(process, leftMs);
  }
  if (leftMs > process.clockMs) {
    process.horizon.skippedMs = Math.max(process.horizon.skippedMs, leftMs);
    yield* sleep(process, leftMs - process.clockMs);
  }
  return { firstMs, work, endMs, most };
}

function followedToMs({ untilMs, meter, horizon }: Process): number {
  return Math.min(untilMs, meter.oomMs, Math.max(horizon.untilMs, horizon.targetMs));
}

/** Reports whether a loop is `while true` without an exit. */
function isEndless(shell: Shell, { condition, list, until }: Loop): boolean {
  const [only] = condition;
  const [command] = only?.pipeline.commands ?? [];
  if (condition.length !== 1 || !command || shell.stopsOnFailure || shell.traps.has("TERM")) return false;
  const name = command.type === "simple" ? literal(command.words[0] ?? []) : undefined;
  const holds = until ? ["false"] : ["true", ":", "sleep"];
  return name !== undefined && holds.includes(name) && !list.some((item) => item.pipeline.commands.some(leaves));
}

const exits = new Set(["break", "exit", "return", "exec", "kill", "set", "eval", "."]);

/** Reports whether a command may leave the loop around it. */
function leaves(command: Command): boolean {
  if (command.type === "simple") return exits.has(literal(command.words[0] ?? []) ?? "exit");
  const { body } = command;
  const lists: List[] = [];
  if ("list" in body) lists.push(body.list);
  if ("condition" in body) lists.push(body.condition);
  if ("arms" in body) for (const arm of body.arms) lists.push(arm.list, ...("condition" in arm ? [arm.condition] : []));
  if ("otherwise" in body && body.otherwise) lists.push(body.otherwise);
  return lists.some((list) => list.some((item) => item.pipeline.commands.some(leaves)));
}
