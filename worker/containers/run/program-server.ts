// Runs a program's own server for its visitors, one by one. The server continues from its last position if nothing else changed in between.
import { limits } from "../../../shared/base/limits.ts";
import type { Edit } from "../shell/files.ts";
import type { Run, Trace, Visited, VisitRequest } from "../shell/trace.ts";
import type { Onward } from "../wasm/visit-calls.ts";
import { type ProgramVisit, visitIdOf, visitPath } from "../wasm/visits.ts";
import { type RunQuestion, runOf } from "./run.ts";

/** The times after a visit, in order, up to which the server is followed until it has answered. */
const stepsMs = [0, 10, 100, 1_000, 5_000, Number.POSITIVE_INFINITY];

/** The number of visits that are replayed if replaying all stored visits takes too much work. */
const fewVisits = 10;

interface Position {
  readonly run: Run;
  readonly outside: readonly Edit[];
  readonly atMs: number;
  /** The work of the run up to now, in units. */
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

  /**
   * Returns the answer to a visit. `outsideOf` returns the edits from outside up to the visit, with the given number of newest visits. If replaying
   * them exceeds the bound of work, fewer visits are replayed.
   */
  visit(visit: ProgramVisit, request: VisitRequest, outsideOf: (visits: number) => readonly Edit[]): Visited {
    const { reach } = request;
    this.#visitId = visit.id;
    this.#onward = reach && { reach, calls: [] };
    let visited = this.#visit(visit, request, outsideOf(limits.replayedVisits));
    if (visited.isSpent) visited = this.#visit(visit, request, outsideOf(fewVisits));
    this.#onward = undefined;
    return visited;
  }

  #visit(
    { id }: ProgramVisit,
    { atMs, limitMs }: VisitRequest,
    outside: readonly Edit[],
  ): Visited & { readonly isSpent: boolean } {
    let before = 0;
    const { answers, visits, work, isSpent } = runOf({
      ...this.#question,
      work: limits.programServerWork,
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
    return { answer: answers?.get(id), calls: visits?.get(id), work: work - before, isSpent };
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
      // The visitor pays for the work, so the server gets it back for the next visitor.
      if (trace.answers?.has(id)) run.grant(trace.work - (position?.work ?? 0));
      if (trace.answers?.has(id) || trace.end || trace.isSpent || nowMs === untilMs) break;
    }
    if (!trace) throw new Error("a server is followed at least to its visit");
    return trace;
  }
}

/** Reports whether a server can continue with the present edits from outside: all new edits must be later than its position. */
function continues({ run, outside, atMs }: Position, now: readonly Edit[]): boolean {
  if (!run.isSuspended || now.length < outside.length) return false;
  return (
    outside.every((edit, at) => isSame(edit, now[at])) && now.slice(outside.length).every((edit) => edit.atMs > atMs)
  );
}

/** Reports whether two edits are the same. Visits are compared by id, because the connections of the server are added to a stored visit. */
function isSame(edit: Edit, otherEdit: Edit | undefined): boolean {
  if (edit === otherEdit) return true;
  if (otherEdit?.atMs !== edit.atMs || otherEdit.path !== edit.path) return false;
  return edit.path === visitPath ? visitIdOf(edit) === visitIdOf(otherEdit) : edit.text === otherEdit.text;
}
