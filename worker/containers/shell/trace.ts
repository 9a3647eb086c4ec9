// Follows a program from its start: its output, its changes to files, and its end.
import type { Server } from "./server.ts";
import { limits } from "../../../shared/base/limits.ts";
import { PendingCalls } from "../../../shared/k8s/outbound-call.ts";
import type { Task } from "../../../shared/shell/task.ts";
import { Thread } from "./drive.ts";
import { runText, runWords } from "../../../shared/shell/evaluate/evaluate.ts";
import { applyEdit, type Edit, type Files, newFiles } from "./files.ts";
import type { Assumption, UnknownPolicy } from "./assumption.ts";
import { assume, isExcused } from "./assumptions.ts";
import { addOutsideBelow, resumeJobs } from "./fork.ts";
import { printedOutside } from "./outside-input.ts";
import { newHost } from "./host.ts";
import { pathOf } from "./program-paths.ts";
import { newMeter } from "./meter.ts";
import { unknownServer } from "./not-simulated.ts";
import { runProgram } from "./programs.ts";
import { charge, heapBytes, Stopped } from "../../../shared/shell/meter.ts";
import { Names } from "../../../shared/shell/names.ts";
import {
  type Chunk,
  emptyWorld,
  type Mount,
  newHorizon,
  newSeries,
  nobodyKnown,
  type Process,
  type Self,
  type World,
} from "./process.ts";
import { interruptible, isTyped } from "./input.ts";
import { isInteractive } from "./interact.ts";
import { type Input, newShell, openChunks, type Shell, toChunks } from "./shell.ts";
import type { Open, VisitCalls } from "../wasm/visit-calls.ts";
import { programServer, type ProgramVisit, type VisitAnswer } from "../wasm/visits.ts";

export interface Start {
  readonly words: readonly string[];
  readonly startMs: number;
  readonly untilMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Files;
  readonly outside?: readonly Edit[];
  readonly folder?: string;
  readonly world?: World;
  readonly namespace?: string;
  readonly host?: string;
  readonly self?: Self;
  /** False for a command beside the container's main program. */
  readonly isFirst?: boolean;
  readonly termMs?: number;
  readonly memoryLimit?: number | undefined;
  readonly mounts?: readonly Mount[];
  readonly unknown?: Process["unknown"];
  /** The policy for software that the simulator lacks; default: `succeed`. */
  readonly policy?: UnknownPolicy;
  /** The assumptions about the program itself. */
  readonly assumed?: readonly string[];
  readonly programs?: ReadonlySet<string> | undefined;
  /** Default: true if the programs are known. */
  readonly knowsFiles?: boolean;
  readonly interactive?: boolean;
  readonly input?: string | Input;
  /** The ports that are already open in its network. */
  readonly ports?: ReadonlyMap<number, number>;
  readonly beside?: Process["beside"];
  /** Whether every line of output is needed, so that equal rounds of loops are run as well. */
  readonly prints?: boolean;
  /** The units of work that may be used; default: `limits.containerWork`. */
  readonly work?: number;
  /** Receives the work that following the program took. */
  readonly account?: ((work: number) => void) | undefined;
  /** Receives internal errors: the run ends as a crash. */
  readonly report?: ((error: unknown) => void) | undefined;
}

export interface Trace {
  readonly chunks: readonly Chunk[];
  /** The files at the start, the changes of the run, and the changes from outside. */
  readonly initial: Files;
  readonly edits: readonly Edit[];
  readonly outside: readonly Edit[];
  /** Undefined while the program runs. */
  readonly end: { readonly atMs: number; readonly exitCode: number; readonly oom: boolean } | undefined;
  /** Whether it is known that the program never ends by itself. */
  readonly endless: boolean;
  /** Nothing after this time is known; Infinity if everything is. */
  readonly knownMs: number;
  /** The end of the last skipped rounds of loops; -Infinity if there are none. The run may print more before it than `chunks` has. */
  readonly skippedMs: number;
  /** Whether the program does too much to be followed further. */
  readonly isSpent: boolean;
  /** The units of work that following the program took. */
  readonly work: number;
  readonly waitsFor: ReadonlySet<string>;
  /** Whether the program has read something outside its container, or its own server answers others. Its course then depends on the rest of the cluster. */
  readonly asksOthers: boolean;
  /** Whether the program has read something outside its container. */
  readonly hasAsked: boolean;
  /** Whether the program repeats equal rounds until other objects change their results. */
  readonly awaitsOthers: boolean;
  readonly heedsTerm: boolean;
  readonly traps: boolean;
  readonly ports: ReadonlyMap<number, number>;
  readonly server: Server | undefined;
  /** The assumptions about software that the simulator lacks. */
  readonly assumed: readonly Assumption[];
  /** Whether the program or a part of it is only assumed to exist. */
  readonly isAssumed: boolean;
  /** The answers of the program's own server, by the visit's id. */
  readonly answers?: ReadonlyMap<string, VisitAnswer>;
  /** Returns the same run with additional visits. */
  readonly revisited?: (visits: readonly Edit[], untilMs: number) => Trace;
  /** The connections that the program's own server opened for visitors, by the visit's id. */
  readonly visits?: ReadonlyMap<string, VisitCalls>;
  /** Returns the answer of the program's own server to one more visitor. */
  readonly visited?: (visit: ProgramVisit, request: VisitRequest) => Visited;
}

export interface VisitRequest {
  readonly atMs: number;
  /** The time limit of the server. */
  readonly limitMs: number;
  /** Visits and changes of files before it that the run does not have. */
  readonly earlier?: readonly Edit[] | undefined;
  /** Opens the connections that the server needs to answer. Undefined: as the container's own, without effects on others. */
  readonly reach?: Open | undefined;
}

export interface Visited {
  /** Undefined if there is none in the time limit. */
  readonly answer: VisitAnswer | undefined;
  readonly calls: VisitCalls | undefined;
  /** The units of work that computing the answer took. */
  readonly work: number;
}

/** Exit codes of a process that the kernel killed: for its memory, and for a crash. */
const killedCode = 137;
const crashedCode = 139;

/** The last line of the log of a run that is not followed further. */
const spentLine =
  "sandbar: this program did more than a simulated container can; it still runs, but what it does from here on is not shown\n";

/** Follows a run to `start.untilMs`, once. */
export function trace(start: Start): Trace {
  return new Run(start).advance(start.untilMs);
}

/** A program that is followed in steps. Its state at a time does not depend on the steps before. */
export class Run {
  #start: Start;
  #shell: Shell;
  #thread: Thread;
  #initial: Files;
  #outside: readonly Edit[];
  #given: number;
  /** The work that has been charged. */
  #accounted = 0;
  #end: Trace["end"];
  #hasEnded = false;
  /** Whether the run cannot be resumed, so that it has to be followed from its start. */
  #isLost = false;

  /** Ignores `start.untilMs`. */
  constructor(start: Start) {
    this.#start = start;
    const process = processOf(start);
    this.#initial = process.files.copy();
    this.#outside = process.outside.slice();
    this.#given = process.meter.work;
    this.#shell = shellOf(process, start);
    this.#thread = new Thread(run(this.#shell, start.words));
  }

  /** Follows the run to a time that is not before the last one, in the newest state of the cluster. */
  advance(untilMs: number): Trace {
    if (!this.isSuspended) this.#restart();
    this.#shell.process.world.refresh?.();
    return this.#traceTo(untilMs, this.proceed(untilMs));
  }

  /**
   * Follows the run like `advance`, in the state of the cluster that the last `advance` read. `targetMs`: the time to which further steps will follow it.
   * Returns the units of work that the run took so far.
   */
  proceed(untilMs: number, targetMs = untilMs): number {
    if (!this.isSuspended) this.#restart();
    const { process } = this.#shell;
    process.horizon.untilMs = untilMs;
    process.horizon.targetMs = targetMs;
    if (!this.#hasEnded) this.#follow();
    const work = this.#given - Math.max(process.meter.work, 0);
    this.#start.account?.(Math.max(0, work - this.#accounted));
    this.#accounted = Math.max(work, this.#accounted);
    return work;
  }

  /** Returns the output of the run itself so far, in the order of time. */
  printed(): readonly Chunk[] {
    const { process } = this.#shell;
    return [...process.chunks, ...lastOf(process, process.clockMs)].sort((a, b) => a.atMs - b.atMs);
  }

  /** The server that the program runs; undefined if nothing is known of it. */
  get server(): Server | undefined {
    return this.#shell.process.server;
  }

  /** Whether the run has ended, or is not followed further because its budget is spent. */
  get isOver(): boolean {
    return this.#end !== undefined || this.#shell.process.isSpent;
  }

  /** Whether the run can be resumed where it waits. If not, it is followed from its start. */
  get isSuspended(): boolean {
    return !this.#isLost && !this.#shell.process.horizon.isEvicted;
  }

  /** The estimated bytes that the run's processes hold. */
  get heldBytes(): number {
    return this.#shell.process.meter.bytes;
  }

  /** Adds to the work that the run may still cost. */
  grant(units: number): void {
    this.#shell.process.meter.work += units;
    this.#given += units;
  }

  /** Adds changes from outside after the time to which the run was advanced. */
  addOutside(edits: readonly Edit[]): void {
    if (edits.length === 0) return;
    addOutsideBelow(this.#shell.process, edits);
    this.#outside = [...this.#outside, ...edits];
    this.#start = { ...this.#start, outside: [...(this.#start.outside ?? []), ...edits] };
  }

  /** Returns the time until which the run only repeats its last round; undefined if it does not repeat; Infinity if only other objects end it. */
  get repeatsUntilMs(): number | undefined {
    const { series, running } = this.#shell.process;
    const isRepeating = series.isOpen && running.length === 0 && this.isSuspended && !this.#hasEnded;
    return isRepeating ? series.validUntilMs : undefined;
  }

  /** Returns the time of the run's next action; Infinity if there is none. */
  nextMs(): number {
    const { process } = this.#shell;
    if (!this.isSuspended) return process.horizon.untilMs;
    if (this.#hasEnded) return Number.POSITIVE_INFINITY;
    return Math.min(this.#thread.nextMs(), ...process.running.map((job) => job.nextMs()));
  }

  #restart(): void {
    const again = new Run(this.#start);
    this.#shell = again.#shell;
    this.#thread = again.#thread;
    this.#initial = again.#initial;
    this.#outside = again.#outside;
    this.#given = again.#given;
    this.#accounted = 0;
    this.#isLost = false;
  }

  #follow(): void {
    this.#isLost = true;
    const how = followed(this.#shell.process, this.#thread, this.#start.report);
    const { process, exitCode } = this.#shell;
    this.#isLost = process.horizon.isUnwound;
    const end = how ?? (process.paused || !this.#thread.hasEnded ? undefined : excused(process, exitCode));
    this.#end = end && { atMs: process.clockMs, ...end };
    this.#hasEnded = !this.#isLost && (end !== undefined || this.#thread.hasEnded);
  }

  #traceTo(untilMs: number, work: number): Trace {
    const { process, traps } = this.#shell;
    const end = this.#end;
    const isSuspended = !end && !process.paused;
    const clockMs = isSuspended ? untilMs : process.clockMs;
    const endless = isSuspended ? this.#thread.nextMs() === Number.POSITIVE_INFINITY : process.endless;
    const visitorChunks = printedOutside(this.#outside, this.#start.startMs, end ? clockMs : untilMs);
    const last = lastOf(process, clockMs);
    const open = isSuspended ? openChunks(process, clockMs) : [];
    return {
      chunks: [...process.chunks, ...open, ...visitorChunks, ...last].sort((a, b) => a.atMs - b.atMs),
      edits: [...process.edits].sort((a, b) => a.atMs - b.atMs),
      initial: this.#initial,
      outside: this.#outside,
      end,
      endless: endless && !end,
      knownMs: !end && (!endless || process.restless) ? clockMs : Number.POSITIVE_INFINITY,
      skippedMs: process.horizon.skippedMs,
      isSpent: process.isSpent,
      work,
      waitsFor: new Set(process.waitsFor),
      hasAsked: process.horizon.hasAsked,
      asksOthers: process.horizon.hasAsked || process.server === programServer,
      awaitsOthers: process.awaitsOthers && endless && !end,
      heedsTerm: process.heedsTerm,
      traps: traps.has("TERM"),
      ports: new Map(process.ports),
      server: process.server ?? (isExcused(process.assumptions) && servesForEver(process) ? unknownServer : undefined),
      assumed: [...process.assumptions.list],
      isAssumed: isExcused(process.assumptions),
      answers: new Map(process.answers),
      visits: new Map(process.horizon.visits),
    };
  }
}

/** Returns the last line of a log that is not followed further. */
function lastOf({ isSpent, prints }: Process, atMs: number): readonly Chunk[] {
  return isSpent && prints ? [{ atMs, stream: "stderr", text: spentLine }] : [];
}

/** Continues the program. Returns its end if it did not end by itself. An internal error ends only the container. */
function followed(
  process: Process,
  thread: Thread,
  report: Start["report"],
): { exitCode: number; oom: boolean } | undefined {
  const { meter } = process;
  try {
    if (meter.bytes > meter.mostBytes) throw new Stopped("oom");
    resumeJobs(process);
    thread.resume();
    return process.paused && process.clockMs >= meter.oomMs ? { exitCode: killedCode, oom: true } : undefined;
  } catch (error) {
    if (error instanceof PendingCalls) throw error;
    if (!(error instanceof Stopped)) report?.(error);
    const how = error instanceof Stopped ? error.how : "crashed";
    process.paused = how === "spent";
    // The program itself may be known further than its background job.
    process.isSpent = process.paused && meter.forks === 0;
    process.endless = false;
    if (how === "spent") return undefined;
    return { exitCode: how === "oom" ? killedCode : crashedCode, oom: how === "oom" };
  }
}

/** Returns the end of a program; undefined if it is assumed to serve. A failure after an assumption is attributed to the simulator. */
function excused(process: Process, exitCode: number): { exitCode: number; oom: boolean } | undefined {
  if (exitCode === 0 || process.clockMs >= process.termMs || !isExcused(process.assumptions))
    return { exitCode, oom: false };
  if (!servesForEver(process)) return { exitCode: 0, oom: false };
  process.paused = true;
  process.endless = true;
  process.heedsTerm = true;
  return undefined;
}

function servesForEver({ isFirst, unknown }: Process): boolean {
  return isFirst && unknown === "serves";
}

function* run(shell: Shell, words: readonly string[]): Task<void> {
  const { process, input } = shell;
  // An interruption does not end an interactive shell, but it ends other programs.
  if (!isTyped(input) || isInteractive(words)) return yield* runWords(shell, words);
  if (yield* interruptible(process, input, runWords(shell, words))) shell.exitCode = 130;
}

function processOf(start: Start): Process {
  const files = start.files?.copy() ?? newFiles();
  const sorted = [...(start.outside ?? [])].sort((a, b) => a.atMs - b.atMs);
  const first = sorted.findIndex((edit) => edit.atMs > start.startMs);
  const outside = first < 0 ? [] : sorted.slice(first);
  for (const edit of first < 0 ? sorted : sorted.slice(0, first)) applyEdit(files, edit);
  const strings = [...start.words, ...Object.entries(start.environment ?? {}).flat()];
  const held = strings.reduce((sum, text) => sum + heapBytes(text), files.bytes);
  const process: Process = {
    clockMs: start.startMs,
    untilMs: Number.POSITIVE_INFINITY,
    horizon: newHorizon(start.untilMs),
    series: newSeries(),
    meter: newMeter(start.work ?? limits.containerWork, held, start.memoryLimit),
    isSpent: false,
    paused: false,
    endless: false,
    awaitsOthers: false,
    restless: false,
    prints: start.prints ?? false,
    version: 0,
    files,
    edits: [],
    outside,
    outsideAt: 0,
    chunks: [],
    world: start.world ?? emptyWorld,
    namespace: start.namespace ?? "default",
    waitsFor: new Set(),
    validUntilMs: Number.POSITIVE_INFINITY,
    termMs: start.termMs ?? Number.POSITIVE_INFINITY,
    termSeen: false,
    heedsTerm: false,
    trapped: false,
    memoryLimit: start.memoryLimit,
    mounts: start.mounts ?? [],
    jobs: [],
    running: [],
    ports: new Map(start.ports),
    server: undefined,
    ownPorts: new Set(),
    answers: new Map(),
    beside: start.beside,
    unknown: start.unknown ?? "serves",
    assumptions: { policy: start.policy ?? "succeed", list: [] },
    programs: start.programs,
    knowsFiles: start.knowsFiles ?? start.programs !== undefined,
    seed: 1,
    host: start.host ?? "localhost",
    self: start.self ?? nobodyKnown,
    isFirst: start.isFirst ?? true,
    interactive: start.interactive ?? false,
  };
  files.pays = (units) => charge(process, units);
  for (const what of start.assumed ?? []) assume(process, what);
  return process;
}

const host = newHost(runProgram, pathOf);

function shellOf(process: Process, start: Start): Shell {
  return newShell(process, {
    variables: new Names(process, new Map(Object.entries(start.environment ?? {}))),
    folder: start.folder ?? "/",
    input: typeof start.input === "string" ? { rest: start.input } : start.input,
    out: toChunks(process, "stdout"),
    err: toChunks(process, "stderr"),
    host,
    run: runWords,
    runText,
  });
}
