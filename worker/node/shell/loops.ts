// Loops. A round that leaves everything as it was is not run again: time goes on without it.
import { charge } from "../../../shared/shell/meter.ts";
import { type Deferred, finished, type Task } from "../../../shared/shell/task.ts";
import { repeat, sleep } from "./system-call.ts";
import { nextOutsideMs, type Process } from "./process.ts";
import { forgetSeries, halted, setVariable, type Shell } from "./shell.ts";
import type { Body, Command, List, Word } from "../../../shared/shell/language/syntax.ts";
import { literal } from "../../../shared/shell/language/syntax.ts";

interface Runners {
  runList(shell: Shell, list: List): Task<void>;
  runCondition(shell: Shell, list: List): Task<boolean>;
}

/** What a round takes at least. */
const roundMs = 10;
/** So many of the last alike rounds are run for what they print. */
const printedRounds = 2_000;

/** What runs in a loop may leave it. */
export function* looped(shell: Shell, task: Task<void>): Task<void> {
  shell.loops++;
  yield* task;
  shell.loops--;
}

export function* runWhile(
  shell: Shell,
  body: Body & { kind: "while" },
  { runList, runCondition }: Runners,
): Task<void> {
  const { process, last, own } = shell;
  shell.last = false;
  shell.own = false;
  let exitCode = 0;
  let grownBefore = Number.POSITIVE_INFINITY;
  let series: AlikeRounds | undefined;
  for (let round = 1; !halted(shell); round++) {
    const { version, clockMs, seed } = process;
    const { bytes } = process.meter;
    const edits = process.edits.length;
    process.nextNewsMs = Number.POSITIVE_INFINITY;
    const holds = yield* runCondition(shell, body.condition);
    if (halted(shell)) break;
    if (holds === body.until) {
      shell.exitCode = exitCode;
      break;
    }
    yield* runList(shell, body.list);
    exitCode = shell.exitCode;
    if (!goesOn(shell)) break;
    if (process.clockMs === clockMs) yield* sleep(process, roundMs);
    // One that takes more and more comes to the end of its memory.
    const grown = process.meter.bytes - bytes;
    const isGrowing = grown > grownBefore;
    grownBefore = grown;
    const isAlike = process.version === version && nextOutsideMs(process) === Number.POSITIVE_INFINITY;
    if (!isAlike && series) series = endSeries(process);
    if (isAlike) {
      // Each of them begins alike, however many are run.
      process.seed = seed;
      series = yield* skipRounds(shell, process.clockMs - clockMs, series);
    } else if (
      round > 1 &&
      followedToMs(process) === Number.POSITIVE_INFINITY &&
      !isGrowing &&
      isEndless(shell, body)
    ) {
      yield* repeat(process, process.clockMs - clockMs, Number.POSITIVE_INFINITY);
      process.restless = process.edits.length > edits;
    }
  }
  if (series) endSeries(process);
  shell.last = last;
  shell.own = own;
}

export function* runFor(
  shell: Shell,
  body: Body & { kind: "for" },
  words: readonly string[],
  { runList }: Runners,
): Task<void> {
  const { last, own } = shell;
  shell.own = false;
  shell.exitCode = 0;
  for (const [at, word] of words.entries()) {
    if (halted(shell)) break;
    shell.last = last && at === words.length - 1;
    setVariable(shell, body.name, word);
    yield* runList(shell, body.list);
    if (!goesOn(shell)) break;
  }
  shell.last = last;
  shell.own = own;
}

/** `for ((i = 0; i < 3; i++))`: the same as a loop with a condition, whose last step comes after each round. */
export function* runCounted(
  shell: Shell,
  { parts: [first = [], condition = [], step = []], list }: Body & { kind: "counted" },
  { runList, value }: Runners & { value(shell: Shell, expression: Word): Deferred<bigint> },
): Task<void> {
  const { last, own, process } = shell;
  shell.last = false;
  shell.own = false;
  const isUnbounded = condition.every((one) => one.type === "text" && one.text.trim() === "");
  yield* finished(value(shell, first));
  while (!halted(shell) && (isUnbounded || (yield* finished(value(shell, condition))) !== 0n)) {
    const { clockMs } = process;
    yield* runList(shell, list);
    if (!goesOn(shell)) break;
    charge(process, 1);
    if (process.clockMs === clockMs && list.length === 0) yield* sleep(process, roundMs);
    yield* finished(value(shell, step));
  }
  shell.last = last;
  shell.own = own;
}

/** `break` and `continue` are used up by the loops that they leave. */
function goesOn(shell: Shell): boolean {
  const { flow } = shell;
  if (shell.process.paused) return false;
  if (flow?.kind !== "break" && flow?.kind !== "continue") return flow === undefined;
  if (flow.levels > 1) {
    shell.flow = { ...flow, levels: flow.levels - 1 };
    return false;
  }
  shell.flow = undefined;
  return flow.kind === "continue";
}

function endSeries({ series }: Process): undefined {
  series.isOpen = false;
  series.chunks = [];
}

/** Rounds that follow one that changed nothing. */
interface AlikeRounds {
  readonly firstMs: number;
  /** What was left of the work when they began. */
  readonly work: number;
  /** Up to when they were followed. */
  readonly endMs: number;
}

/**
 * Every round would do the same until something outside happens. A run that is resumed skips rounds that it has run before: what they
 * printed is forgotten, so that it does not depend on how often it was resumed.
 */
function* skipRounds(
  { process, traps }: Shell,
  periodMs: number,
  begun: AlikeRounds | undefined,
): Task<AlikeRounds | undefined> {
  if (process.paused) return undefined;
  // What it asked for has come: the next round finds it.
  if (process.nextNewsMs <= process.clockMs) return undefined;
  const { meter, series } = process;
  if (!begun) {
    series.isOpen = true;
    series.chunks = [];
  }
  const termMs = traps.has("TERM") && !process.termSeen ? process.termMs : Number.POSITIVE_INFINITY;
  const endMs = Math.min(followedToMs(process), termMs, process.nextNewsMs);
  if (endMs === Number.POSITIVE_INFINITY) {
    yield* repeat(process, periodMs, Number.POSITIVE_INFINITY);
    return undefined;
  }
  if (begun?.endMs === endMs) return begun;
  const { firstMs, work } = begun ?? { firstMs: process.clockMs, work: meter.work };
  const most = process.prints ? printedRounds : 1;
  const left = Math.max(0, Math.floor((endMs - firstMs) / periodMs) - most);
  const leftMs = firstMs + left * periodMs;
  // Rounds that are left out cost nothing, whether or not they were run.
  const run = Math.round((process.clockMs - firstMs) / periodMs);
  if (run > 0) {
    const rest = Math.max(0, run - left);
    meter.work = work - (Math.max(0, work - meter.work) * Math.min(rest, most)) / Math.min(run, most);
    forgetSeries(process, leftMs);
  }
  if (leftMs > process.clockMs) yield* repeat(process, periodMs, Math.round((leftMs - process.clockMs) / periodMs));
  return { firstMs, work, endMs };
}

function followedToMs({ untilMs, meter, horizon }: Process): number {
  return Math.min(untilMs, meter.oomMs, horizon.untilMs);
}

/** `while true` without a way out. */
function isEndless(shell: Shell, { condition, list, until }: Body & { kind: "while" }): boolean {
  const [only] = condition;
  const [command] = only?.pipeline.commands ?? [];
  if (condition.length !== 1 || !command || shell.stopsOnFailure || shell.traps.has("TERM")) return false;
  const name = command.type === "simple" ? literal(command.words[0] ?? []) : undefined;
  const holds = until ? ["false"] : ["true", ":", "sleep"];
  return name !== undefined && holds.includes(name) && !list.some((item) => item.pipeline.commands.some(leaves));
}

const exits = new Set(["break", "exit", "return", "exec", "kill", "set", "eval", "."]);

/** Whether a command may leave the loop around it. */
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
