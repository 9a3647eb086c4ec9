// Exams: a learner moves among the tasks and flags them without being graded. The end comes at its time or when the learner finishes, and
// grades every task once.
import type * as z from "zod";
import type { examAction, RunProgress } from "../../../../shared/contract/lesson.ts";
import { gradingMinutes } from "../../../../shared/lesson/exam.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { invalidField } from "../body.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError } from "../states.ts";
import { accessEndMs } from "./exam-view.ts";
import { attempted, scored, stepProgress, withStep } from "./progress.ts";

interface ExamRun {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
}

/** Returns the minutes for which a run's sandbox exists. */
export function sandboxMinutes({ exam, timeLimitMinutes }: Pick<Lesson, "exam" | "timeLimitMinutes">): number {
  return timeLimitMinutes + (exam ? gradingMinutes : 0);
}

/** Reports whether an exam is over and was not graded. */
export function isDue({ row, lesson }: ExamRun, nowMs: number): boolean {
  return lesson.exam !== undefined && !row.isFinished && nowMs >= accessEndMs(row, lesson) && nowMs < row.expiresAtMs;
}

export function refuseInExam({ exam }: Lesson): void {
  if (exam) throw invalidField("step", "cannot be graded by itself: an exam is graded at its end");
}

/** Returns the changes of a run that moves to a task, or flags one. */
export function moved({ row, lesson }: ExamRun, { task, flag }: z.output<typeof examAction>): Partial<LessonRunRow> {
  for (const [field, number] of [
    ["task", task],
    ["flag", flag],
  ] as const)
    if (number !== undefined && number > lesson.steps.length)
      throw invalidField(field, `must be one of ${lesson.steps.length}`);
  const flagged = new Set(row.progress.flagged);
  if (flag !== undefined && !flagged.delete(flag)) flagged.add(flag);
  const progress = { ...row.progress, flagged: [...flagged].sort((a, b) => a - b) };
  return { progress, ...(task === undefined ? {} : { step: task }) };
}

/** Grades every task. Returns the changes of the run. */
export async function graded(controlApi: ControlApiServer, { row, lesson }: ExamRun): Promise<Partial<LessonRunRow>> {
  let progress: RunProgress = row.progress;
  for (const [at, step] of lesson.steps.entries()) {
    const answer = await controlApi.cluster(row.sandboxId).gradeStep({
      expressions: step.checks.map(({ expression }) => expression),
      since: row.stepRevision,
      answer: "",
      allowsStatusWrites: lesson.allowsStatusWrites,
      acceptsRestores: true,
    });
    if (!answer.ok) throw refusalError(answer);
    const attempt = { results: answer.results, questions: {}, atMs: controlApi.nowMs() };
    progress = withStep(progress, at + 1, attempted(stepProgress(progress, at + 1), step, attempt));
  }
  return { progress, points: scored(progress), isFinished: true };
}
