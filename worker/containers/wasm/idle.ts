// A process without events, in which an interpreter reads its library before it runs a program, and in which a database answers.
import type { Task } from "../../../shared/shell/task.ts";
import { newFiles } from "../shell/files.ts";
import { newHost } from "../shell/host.ts";
import { newMeter } from "../shell/meter.ts";
import type { ProgramCall } from "../shell/program.ts";
import { emptyWorld, newHorizon, newSeries, nobodyKnown, type Process } from "../shell/process.ts";
import { Names } from "../../../shared/shell/names.ts";
import { newShell } from "../shell/shell.ts";

function* nothing(): Task<void> {
  // No program runs here.
}

/** The maximum work of reading a library. */
const libraryWork = 10_000_000;

/** Returns a call at a moment, with a budget of work. */
export function idleCall(clockMs = 0, work = libraryWork): ProgramCall {
  const forever = Number.POSITIVE_INFINITY;
  const process: Process = {
    clockMs,
    untilMs: forever,
    horizon: newHorizon(forever),
    series: newSeries(),
    meter: newMeter(work, 0, undefined),
    isSpent: false,
    assumptions: { policy: "fail", list: [] },
    paused: false,
    endless: false,
    awaitsOthers: false,
    restless: false,
    prints: false,
    version: 0,
    files: newFiles(),
    edits: [],
    outside: [],
    outsideAt: 0,
    chunks: [],
    world: emptyWorld,
    namespace: "",
    waitsFor: new Set(),
    validUntilMs: forever,
    termMs: forever,
    termSeen: false,
    heedsTerm: false,
    trapped: false,
    memoryLimit: undefined,
    mounts: [],
    jobs: [],
    running: [],
    ports: new Map(),
    server: undefined,
    ownPorts: new Set(),
    answers: new Map(),
    beside: undefined,
    unknown: "ends",
    programs: undefined,
    knowsFiles: false,
    seed: 1,
    host: "",
    self: nobodyKnown,
    isFirst: true,
    interactive: false,
  };
  const silent = () => undefined;
  const shell = newShell(process, {
    variables: new Names(process),
    parameters: [],
    out: silent,
    err: silent,
    host: newHost(nothing, () => undefined),
    run: nothing,
    runText: nothing,
  });
  return { shell, process, name: "", path: "", args: [], input: undefined, out: silent, err: silent };
}
