// What a look of the kubelet at a pod works out: what its programs, probes and hooks do. It is the long part of a look at a pod of hundreds
// of containers, so it is done in parts: a turn that has worked out enough ends with `LookUnfinished`, and the next begins with what is known.
import { limits } from "../../../shared/base/limits.ts";
import type { Answer, Beside, HookAnswer } from "../run/request.ts";
import type { Reaching } from "../life.ts";
import type { Trace } from "../shell/trace.ts";
import type { Course } from "./probe-run.ts";

/** Ends a part of a look. Nothing was written. */
export class LookUnfinished extends Error {}

export interface LookWork {
  /** The runs of containers by what was asked about them. */
  readonly runs: Map<string, Trace>;
  /** The effects of runs on other containers, by the key of the run. */
  readonly reached: Map<string, Reaching>;
  /** Runs of containers as if each were alone. */
  readonly alone: Map<string, Trace>;
  /** Answers to commands of probes. */
  readonly asked: Map<string, Answer>;
  /** Answers of hooks. */
  readonly hooks: Map<string, HookAnswer>;
  /** Why programs cannot be started, by container. */
  readonly startProblems: Map<string, { readonly problem: string | undefined }>;
  /** What would let probes find something else. */
  readonly probesWaitFor: Set<string>;
  /** The address that the pod was given. */
  address: string | undefined;
}

export function newLookWork(): LookWork {
  return {
    runs: new Map(),
    reached: new Map(),
    alone: new Map(),
    asked: new Map(),
    hooks: new Map(),
    startProblems: new Map(),
    probesWaitFor: new Set(),
    address: undefined,
  };
}

/** The courses of a look's probes, as long as the containers run that ran when they were worked out. */
export interface Courses {
  readonly known: Map<string, { readonly course: Course; readonly running: readonly Beside[] }>;
  /** The containers that run, as of a move and followed to a moment. */
  running: { readonly move: number; readonly nowMs: number; readonly besides: readonly Beside[] } | undefined;
}

/** Counts the work of one part of a look. */
export class LookPart {
  readonly #spent: () => number;
  readonly #most: number;
  #done = 0;

  /** `spent`: reads the meter. */
  constructor(spent: () => number, most: number = limits.lookPartWork) {
    this.#spent = spent;
    this.#most = most;
  }

  /** Works something out. Throws `LookUnfinished` if the part has done enough; at least one thing is worked out in each part. */
  workOut<T>(run: () => T): T {
    if (this.#done > this.#most) throw new LookUnfinished();
    const before = this.#spent();
    try {
      return run();
    } finally {
      this.#done += this.#spent() - before;
    }
  }
}
