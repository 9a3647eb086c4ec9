// Exams whose time is over although nobody looks: the tenant's object has them graded at their end, and the scheduled run the rest.
import { limits } from "../../../../shared/base/limits.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { ControlError } from "../control-error.ts";
import { lessonNamed } from "../lessons.ts";
import type { ControlApiServer } from "../server.ts";
import { gradeExam, isDue } from "./exam.ts";
import { accessEndMs, gradingMs } from "./exam-view.ts";

/** Asks the tenant's object, after the response, to have an exam graded at its end. */
export function remindOfEnd(controlApi: ControlApiServer, row: LessonRunRow): void {
  const { tenantId, isExam, isFinished } = row;
  if (!isExam || isFinished) return;
  controlApi.later(
    () => controlApi.tenant(tenantId).remindOfExam(tenantId, accessEndMs(row)),
    `the end of the run ${row.id}`,
  );
}

/** Grades exams whose time is over, up to `most`. Returns how many were graded, and whether some are left. */
export async function gradeDueExams(
  controlApi: ControlApiServer,
  most: number,
  tenantId?: string,
): Promise<{ readonly graded: number; readonly isSomeLeft: boolean }> {
  const nowMs = controlApi.nowMs();
  const rows = await controlApi.lessons.ungradedExams(nowMs, nowMs + gradingMs, most + 1, tenantId);
  const due = rows.slice(0, most);
  let graded = 0;
  for (let at = 0; at < due.length; at += limits.informedAtOnce) {
    const batch = due.slice(at, at + limits.informedAtOnce).map(async (row) => {
      try {
        await gradeRow(controlApi, row);
        graded += 1;
      } catch (error) {
        controlApi.report(error, `the grading of the exam ${row.id}`);
      }
    });
    await Promise.all(batch);
  }
  return { graded, isSomeLeft: graded < rows.length };
}

/** Grades an exam. Its row is read again, because the teacher may have moved its end while those before it were graded. */
async function gradeRow(controlApi: ControlApiServer, { tenantId, lesson: name, id }: LessonRunRow): Promise<void> {
  const row = await dueRow(controlApi, tenantId, name, id);
  if (!row) return;
  const { document: lesson } = await lessonNamed(controlApi, tenantId, name, row.version);
  try {
    await gradeExam(controlApi, { row, lesson }, "time");
  } catch (error) {
    if (!(error instanceof ControlError) || error.code !== "busy") throw error;
    // Another request graded it, or the teacher moved its end. If the learner moved to another task, it is still due.
    if (await dueRow(controlApi, tenantId, name, id)) throw error;
  }
}

async function dueRow({ lessons, nowMs }: ControlApiServer, tenantId: string, lesson: string, id: string) {
  const row = await lessons.findRun(tenantId, lesson, id);
  return row && isDue({ row }, nowMs()) ? row : undefined;
}
