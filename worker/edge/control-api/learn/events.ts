// Webhook events of a run: started, step passed, completed.
import type { LessonEventType } from "../../../../shared/contract/hosted/webhook.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import type { ControlApiServer } from "../server.ts";
import { stepProgress } from "./progress.ts";

/** Sends the events after the response. `before` is undefined for a new run. */
export function sendProgressEvents(controlApi: ControlApiServer, row: LessonRunRow, before?: LessonRunRow): void {
  for (const [type, step] of happened(row, before)) {
    const { lesson: name, version, id: run, learner, points, maxPoints, sandboxId: sandbox } = row;
    const progress = { name, version, run, learner, step, points, maxPoints, sandbox };
    controlApi.later(
      () => controlApi.tenant(row.tenantId).sendLessonEvent(type, progress),
      `an event of the run ${run}`,
    );
  }
}

function happened(row: LessonRunRow, before: LessonRunRow | undefined): (readonly [LessonEventType, number])[] {
  if (!before) return [["lesson.started", row.step]];
  const { step } = before;
  const passed = stepProgress(row.progress, step).isPassed && !stepProgress(before.progress, step).isPassed;
  return [
    ...(passed ? ([["lesson.step_passed", step]] as const) : []),
    ...(row.isFinished && !before.isFinished ? ([["lesson.finished", row.step]] as const) : []),
  ];
}
