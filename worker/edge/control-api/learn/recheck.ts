// Grades a step because the cluster changed: no try of the learner, and the next step does not begin.
import type { Run } from "../../../../shared/contract/lesson.ts";
import { ControlError } from "../control-error.ts";
import { findRun } from "../lesson-runs.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError } from "../states.ts";
import { changeRun } from "./change-run.ts";
import { describeRun } from "./describe-run.ts";
import { planGrading } from "./grading.ts";
import { regraded, scored, stepProgress, withStep } from "./progress.ts";
import type { RunPlace } from "./run-place.ts";

/**
 * Grades the checks, unless the cluster is at a revision or was graded a moment ago. A run that is paused or over, or that another request
 * changes meanwhile, is returned as it is, because nobody asked.
 */
export async function recheckRun(controlApi: ControlApiServer, place: RunPlace, unlessRevision: number): Promise<Run> {
  const run = await findRun(controlApi, place);
  const { row, lesson } = run;
  const nowMs = controlApi.nowMs();
  const step = lesson.steps[row.step - 1];
  const asItIs = describeRun(controlApi, run, nowMs);
  if (!step || lesson.exam || row.isFinished || row.pausedMs > 0 || row.expiresAtMs <= nowMs) return asItIs;
  const before = stepProgress(row.progress, row.step);
  const plan = planGrading({ row, lesson, step }, before, { answer: row.answer, answers: {} });
  const unless = { revision: unlessRevision, nowMs };
  const graded = await controlApi.cluster(row.sandboxId).gradeStep({ ...plan.question, unless });
  if (!graded.ok) throw refusalError(graded);
  const { revision } = graded;
  if (graded.isUnchanged) return { ...asItIs, revision };
  const { results } = plan.read(graded.results);
  const stepResult = regraded(before, step, { results, questions: before.questions ?? {}, atMs: nowMs });
  if (JSON.stringify(stepResult) === JSON.stringify(before)) return { ...asItIs, revision };
  const progress = withStep(row.progress, row.step, stepResult);
  try {
    return { ...(await changeRun(controlApi, run, { progress, points: scored(progress) })), revision };
  } catch (error) {
    if (error instanceof ControlError && error.code === "busy") return asItIs;
    throw error;
  }
}
