// The help for a learner in a step: hints in stages, and the solution after some tries.
import type { Run } from "../../../../shared/contract/lesson.ts";
import { ControlError } from "../control-error.ts";
import { findActiveRun } from "../lesson-runs.ts";
import type { ControlApiServer } from "../server.ts";
import { changeRun } from "./change-run.ts";
import { refuseInExam } from "./exam.ts";
import { scored, stepProgress, withStep } from "./progress.ts";
import type { RunPlace } from "./run-place.ts";

/** Gives the learner the next hint of the current step, whose price is subtracted from the step's points. */
export async function takeHint(controlApi: ControlApiServer, place: RunPlace): Promise<Run> {
  const { row, lesson, step } = await findActiveRun(controlApi, place);
  refuseInExam(lesson);
  const before = stepProgress(row.progress, row.step);
  const { hints = 0, penalty = 0 } = before;
  const hint = step.hints?.[hints];
  if (!hint) throw new ControlError(404, "not_found", "the step has no further hint");
  const stepResult = { ...before, hints: hints + 1, penalty: penalty + hint.price };
  const progress = withStep(row.progress, row.step, stepResult);
  return changeRun(controlApi, { row, lesson }, { progress, points: scored(progress) });
}

/** Shows the solution of the current step after the lesson's number of tries. The step then earns no further points. */
export async function showSolution(controlApi: ControlApiServer, place: RunPlace): Promise<Run> {
  const { row, lesson, step } = await findActiveRun(controlApi, place);
  refuseInExam(lesson);
  const before = stepProgress(row.progress, row.step);
  const { solutionAfter } = step;
  if (solutionAfter === undefined) throw new ControlError(404, "not_found", "the lesson does not show this solution");
  if (before.attempts < solutionAfter) {
    const message = `the solution can be seen after ${solutionAfter} tries; there were ${before.attempts}`;
    throw new ControlError(409, "solution_not_due", message);
  }
  const progress = withStep(row.progress, row.step, { ...before, isSolutionShown: true });
  return changeRun(controlApi, { row, lesson }, { progress });
}
