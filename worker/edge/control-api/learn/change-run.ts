// A change of a run, which is refused if another request changed the run meanwhile.
import type { Run } from "../../../../shared/contract/lesson.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { sendGrade } from "../../lti/grades.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { describeRun } from "./describe-run.ts";
import { sendProgressEvents } from "./events.ts";

/** The attempts to change a run whose cluster was set back. */
const attempts = 5;

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

/**
 * Changes a run whose cluster was set back. Concurrent changes were graded in the cluster as it was before, so they are overwritten:
 * `changesOf` receives the newest row.
 */
export async function changeRunSetBack(
  controlApi: ControlApiServer,
  { row, lesson }: { readonly row: LessonRunRow; readonly lesson: Lesson },
  changesOf: (row: LessonRunRow) => Partial<LessonRunRow>,
): Promise<Run> {
  const { tenantId, id, version, maxPoints } = row;
  for (let attempt = 1, newest = row; ; attempt++) {
    try {
      return await changeRun(controlApi, { row: newest, lesson }, changesOf(newest));
    } catch (error) {
      if (attempt === attempts || !(error instanceof ControlError) || error.code !== "busy") throw error;
      const stored = await controlApi.lessons.findRun(tenantId, row.lesson, id);
      if (!stored) throw error;
      newest = { ...stored, version, maxPoints };
    }
  }
}
