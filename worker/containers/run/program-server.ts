// A server of a program's own code, for one visitor after the other. It goes on from where the last visit left it, as long as nothing else came between.
import type { Edit } from "../shell/files.ts";
import type { Run, Trace, Visited, VisitRequest } from "../shell/trace.ts";
import type { Onward } from "../wasm/visit-calls.ts";
import { type ProgramVisit, visitOf, visitPath } from "../wasm/visits.ts";
import { type RunQuestion, runOf } from "./run.ts";

/** The moments after a visit up to which the server is followed, one after the other, until it has answered. */
const stepsMs = [0, 10, 100, 1_000, 5_000, Number.POSITIVE_INFINITY];

interface Position {
  readonly run: Run;
  readonly outside: readonly Edit[];
  readonly atMs: number;
  /** Units of work so far. */
  readonly work: number;
}

export class ProgramServer {
  readonly #question: RunQuestion;
  #position: Position | undefined;
  #visitId = "";
  #onward: Onward | undefined;

  constructor(question: RunQuestion) {
    this.#question = question;
  }

  /** Returns the answer to a visit. `outside`: what others do to the container until then, with the visit. */
  visit({ id }: ProgramVisit, { atMs, limitMs, reach }: VisitRequest, outside: readonly Edit[]): Visited {
    this.#visitId = id;
    this.#onward = reach && { reach, calls: [] };
    let before = 0;
    const { answers, visits, work } = runOf({
      ...this.#question,
      outside,
      untilMs: atMs + limitMs,
      isPresent: true,
      onward: (visitId) => (visitId === this.#visitId ? this.#onward : undefined),
      view: {
        ...this.#question.view,
        suspendedRuns: {
          follow: (_key, untilMs, changes, begin) => {
            const position = this.#position && continues(this.#position, changes) ? this.#position : undefined;
            before = position?.work ?? 0;
            const trace = position && this.#follow(position.run, position, changes, id, atMs, untilMs);
            if (trace && !trace.isSpent) return trace;
            before = 0;
            return this.#follow(begin(), undefined, changes, id, atMs, untilMs);
          },
        },
      },
    });
    this.#onward = undefined;
    return { answer: answers?.get(id), calls: visits?.get(id), work: work - before };
  }

  #follow(
    run: Run,
    position: Position | undefined,
    outside: readonly Edit[],
    id: string,
    atMs: number,
    untilMs: number,
  ): Trace {
    if (position) run.addOutside(outside.slice(position.outside.length));
    let trace: Trace | undefined;
    for (const stepMs of stepsMs) {
      const nowMs = Math.min(untilMs, Math.max(atMs, position?.atMs ?? atMs) + stepMs);
      trace = run.advance(nowMs);
      if (this.#onward) this.#onward = { ...this.#onward, calls: trace.visits?.get(id)?.calls ?? [] };
      this.#position = run.isSuspended ? { run, outside, atMs: nowMs, work: trace.work } : undefined;
      if (trace.answers?.has(id) || trace.end || trace.isSpent || nowMs === untilMs) break;
    }
    if (!trace) throw new Error("a server is followed at least to its visit");
    return trace;
  }
}

/** Reports whether a server can go on with what others have done to it by now: all that is new came after its position. */
function continues({ run, outside, atMs }: Position, now: readonly Edit[]): boolean {
  if (!run.isSuspended || now.length < outside.length) return false;
  return (
    outside.every((edit, at) => isSame(edit, now[at])) && now.slice(outside.length).every((edit) => edit.atMs > atMs)
  );
}

/** A visit is stored with the connections that the server opened for it: its id says that it is the same. */
function isSame(edit: Edit, other: Edit | undefined): boolean {
  if (edit === other) return true;
  if (other?.atMs !== edit.atMs || other.path !== edit.path) return false;
  return edit.path === visitPath ? visitOf(edit).id === visitOf(other).id : edit.text === other.text;
}
