// Exams: a learner moves among the tasks and flags them without being graded. The end comes at its time or when the learner finishes, and
// grades every task once.
import type * as z from "zod";
import type { ExamEnd, examAction, Run, RunProgress } from "../../../../shared/contract/lesson.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { invalidField } from "../body.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError } from "../states.ts";
import { endAccess, giveTokens } from "./access.ts";
import { changeRun } from "./change-run.ts";
import { describeRun } from "./describe-run.ts";
import { accessEndMs } from "./exam-view.ts";
import { attempted, scored, stepProgress, withStep } from "./progress.ts";
import { clusterOfStep } from "./run-clusters.ts";

interface ExamRun {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
}

/** Reports whether an exam is over and was not graded. */
export function isDue({ row }: Pick<ExamRun, "row">, nowMs: number): boolean {
  return row.isExam && !row.isFinished && nowMs >= accessEndMs(row) && nowMs < row.expiresAtMs;
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

/** Grades an exam at its end, which revokes the learner's tokens. `changes` are stored with the grades. */
export async function gradeExam(
  controlApi: ControlApiServer,
  run: ExamRun,
  by: ExamEnd["by"],
  changes: Partial<LessonRunRow> = {},
): Promise<Run> {
  const row = { ...run.row, ...changes };
  // A learner whose exam could not be graded keeps access; after the end of the time, nobody has it.
  if (by === "time") await endAccess(controlApi, row, run.lesson);
  const end = await graded(controlApi, { row, lesson: run.lesson });
  const ended = { atMs: controlApi.nowMs(), by };
  const progress = { ...end.progress, ended };
  const result = await changeRun(controlApi, run, { ...changes, ...end, progress });
  if (by === "learner") await endAccess(controlApi, row, run.lesson);
  return result;
}

/**
 * Grades every task as it is now, for a teacher or an author. No grade is stored, so that the end is graded as if nobody had asked. With
 * `isMoved`, the run switches to the requested version. Throws 400 if that has other clusters than the run.
 */
export async function gradeForTeacher(
  controlApi: ControlApiServer,
  { row, lesson, isMoved = false }: ExamRun & { readonly isMoved?: boolean },
): Promise<Run> {
  const namesOf = (clusters: readonly { readonly name: string }[] = []) => clusters.map(({ name }) => name).join();
  if (namesOf(row.clusters) !== namesOf(lesson.clusters))
    throw invalidField("version", "has other clusters than the run: start another run");
  if (isMoved) {
    await giveTokens(controlApi, row, lesson);
    await changeRun(controlApi, { row, lesson }, {});
  }
  const nowMs = controlApi.nowMs();
  const { state } = describeRun(controlApi, { row, lesson }, nowMs);
  const changes = row.isFinished ? {} : await graded(controlApi, { row, lesson });
  return { ...describeRun(controlApi, { row: { ...row, ...changes }, lesson }, nowMs), state };
}

/** Grades every task in its cluster. Returns the changes of the run. */
async function graded(controlApi: ControlApiServer, { row, lesson }: ExamRun) {
  let progress: RunProgress = row.progress;
  for (const [at, step] of lesson.steps.entries()) {
    const { sandboxId, revision } = clusterOfStep(row, lesson, step);
    const answer = await controlApi.cluster(sandboxId).gradeStep({
      expressions: step.checks.map(({ expression }) => expression),
      since: revision,
      answer: "",
      allowsStatusWrites: lesson.allowsStatusWrites,
      acceptsRestores: true,
    });
    if (!answer.ok && answer.code !== "expired") throw refusalError(answer);
    const results = answer.ok ? answer.results : step.checks.map(() => goneResult);
    const attempt = { results, questions: {}, atMs: controlApi.nowMs() };
    progress = withStep(progress, at + 1, attempted(stepProgress(progress, at + 1), step, attempt));
  }
  return { progress, points: scored(progress), isFinished: true };
}

/** The result of a check whose cluster was deleted. */
const goneResult = { passed: false, message: "the task's cluster was deleted" };
