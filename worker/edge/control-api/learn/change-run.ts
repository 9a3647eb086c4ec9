// A change of a run, which is refused if another request changed the run meanwhile.
import type { Run } from "../../../../shared/contract/lesson.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { sendGrade } from "../../lti/grades.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { describeRun } from "./describe-run.ts";
import { sendProgressEvents } from "./events.ts";

/** Changes a run. A concurrent change is rejected, so that no attempt is lost. */
export async function changeRun(
  controlApi: ControlApiServer,
  { row, lesson }: { readonly row: LessonRunRow; readonly lesson: Lesson },
  to: Partial<LessonRunRow>,
): Promise<Run> {
  const { version, maxPoints } = row;
  const next = { version, maxPoints, ...to, changedAtMs: controlApi.nowMs() };
  if (!(await controlApi.lessons.changeRun(row, next))) {
    throw new ControlError(409, "busy", "a concurrent request changed the run; try again");
  }
  const now = { ...row, ...next };
  sendGrade(controlApi, now, row);
  sendProgressEvents(controlApi, now, row);
  return describeRun(controlApi, { row: now, lesson }, controlApi.nowMs());
}
