// Rounds of loops. A round that leaves everything as it was is not run again: time goes on without it.
import type { Rounds } from "../../../shared/shell/evaluate/shell.ts";
import { type Command, type List, literal } from "../../../shared/shell/language/syntax.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { nextOutsideMs, type Process } from "./process.ts";
import type { Shell } from "./shell.ts";
import { repeat, sleep } from "./system-call.ts";

interface Loop {
  readonly condition: List;
  readonly list: List;
  readonly until: boolean;
}

/** The least that a round takes. */
export const roundMs = 10;
/** So many of the last alike rounds are run for what they print. */
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
    process.nextNewsMs = Number.POSITIVE_INFINITY;
  }

  end(): Task<void> | undefined {
    const { process } = this.#shell;
    if (process.clockMs === this.#clockMs) return this.#passTime();
    return this.#skip();
  }

  *#passTime(): Task<void> {
    yield* sleep(this.#shell.process, roundMs);
    const task = this.#skip();
    if (task) yield* task;
  }

  #skip(): Task<void> | undefined {
    const { process } = this.#shell;
    const periodMs = process.clockMs - this.#clockMs;
    // A loop that takes more and more comes to the end of its memory.
    const grown = process.meter.bytes - this.#bytes;
    const isGrowing = grown > this.#grownBefore;
    this.#grownBefore = grown;
    if (process.version === this.#version && nextOutsideMs(process) === Number.POSITIVE_INFINITY)
      return skipRounds(this.#shell, periodMs);
    if (this.#round <= 1 || followedToMs(process) !== Number.POSITIVE_INFINITY) return undefined;
    return !isGrowing && isEndless(this.#shell, this.#loop) ? this.#repeatForEver(periodMs) : undefined;
  }

  *#repeatForEver(periodMs: number): Task<void> {
    const { process } = this.#shell;
    yield* repeat(process, periodMs, Number.POSITIVE_INFINITY);
    process.restless = process.edits.length > this.#edits;
  }
}

/** Every round would do the same until something outside happens. */
function* skipRounds({ process, traps }: Shell, periodMs: number): Task<void> {
  if (process.paused) return;
  // What it asked for has come: the next round finds it.
  if (process.nextNewsMs <= process.clockMs) return;
  const termMs = traps.has("TERM") && !process.termSeen ? process.termMs : Number.POSITIVE_INFINITY;
  const endMs = Math.min(followedToMs(process), termMs, process.nextNewsMs);
  if (endMs === Number.POSITIVE_INFINITY) return yield* repeat(process, periodMs, Number.POSITIVE_INFINITY);
  const rounds = Math.floor((endMs - process.clockMs) / periodMs) - (process.prints ? printedRounds : 1);
  if (rounds > 0) yield* repeat(process, periodMs, rounds);
}

function followedToMs({ untilMs, meter }: Process): number {
  return Math.min(untilMs, meter.oomMs);
}

/** `while true` without a way out. */
function isEndless(shell: Shell, { condition, list, until }: Loop): boolean {
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
