// How an exam's run is shown: when it ends, and once it is graded, the report by domain.
import type { Run } from "../../../../shared/contract/lesson.ts";
import { percentOf, resultsByDomain } from "../../../../shared/lesson/exam.ts";
import { type Lesson, pointsOf } from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";

interface ExamRun {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
}

/** Returns the time at which the learner's access ends; that of the sandbox for other lessons. */
export function accessEndMs(
  { createdAtMs, expiresAtMs }: Pick<LessonRunRow, "createdAtMs" | "expiresAtMs">,
  { exam, timeLimitMinutes }: Pick<Lesson, "exam" | "timeLimitMinutes">,
): number {
  return exam ? Math.min(expiresAtMs, createdAtMs + timeLimitMinutes * 60_000) : expiresAtMs;
}

/** Removes the help that a lesson's step gives. */
function withoutHelp({ step, title, text, answer, questions }: Run["page"]): Run["page"] {
  return { step, title, text, answer, questions, hints: [] };
}

/** Describes the exam of a run. Until it is graded, it has no results. */
export function describeExam({ row, lesson }: ExamRun, run: Run): Run {
  const { exam, steps } = lesson;
  if (!exam) return run;
  const tasks = steps.map((step, at) => ({
    domain: step.domain,
    points: run.steps[at]?.last ?? 0,
    maxPoints: pointsOf(step),
  }));
  const isGraded = row.isFinished;
  return {
    ...run,
    allowsSkipping: false,
    page: withoutHelp(run.page),
    steps: run.steps.map((step, at) => {
      const checks = isGraded ? step.checks.map((check) => ({ ...check, hint: "" })) : [];
      return { ...step, state: at + 1 === row.step ? "current" : "ahead", checks };
    }),
    exam: {
      endsAt: new Date(accessEndMs(row, lesson)).toISOString(),
      passPercent: exam.passPercent,
      flagged: [...(row.progress.flagged ?? [])],
      domains: steps.map(({ domain = "" }) => domain),
      ...(isGraded
        ? { report: { percent: percentOf(run.lastPoints, run.maxPoints), byDomain: resultsByDomain(tasks) } }
        : {}),
    },
  };
}
