// How an exam's run is shown: when it ends, and once it is graded, the report by domain.
import type { Run } from "../../../../shared/contract/lesson.ts";
import { gradingMinutes, percentOf, resultsByDomain } from "../../../../shared/lesson/exam.ts";
import { clusterIndexOf, type Lesson, pointsOf } from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";

interface ExamRun {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
}

/** The milliseconds for which the sandboxes of an exam outlive the learner's access. */
export const gradingMs = gradingMinutes * 60_000;

/** Returns the time at which the learner's access ends. An exam's sandboxes outlive it, so that it can be graded. */
export function accessEndMs({ expiresAtMs, isExam }: Pick<LessonRunRow, "expiresAtMs" | "isExam">): number {
  return isExam ? expiresAtMs - gradingMs : expiresAtMs;
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
      endsAt: run.endsAt,
      passPercent: exam.passPercent,
      flagged: [...(row.progress.flagged ?? [])],
      domains: steps.map(({ domain = "" }) => domain),
      ...(lesson.clusters ? { clusters: namesOf(lesson) } : {}),
      ...(isGraded
        ? { report: { percent: percentOf(run.lastPoints, run.maxPoints), byDomain: resultsByDomain(tasks) } }
        : {}),
    },
  };
}

/** Returns the name of each task's cluster. */
function namesOf(lesson: Lesson): string[] {
  return lesson.steps.map((step) => lesson.clusters?.[clusterIndexOf(lesson, step)]?.name ?? "");
}

/** Returns the lifetime of a run's sandboxes, whose learner has access for at most `leftSeconds`. */
export function sandboxSeconds(
  { exam, timeLimitMinutes }: Pick<Lesson, "exam" | "timeLimitMinutes">,
  leftSeconds = Number.POSITIVE_INFINITY,
): number {
  return Math.min(timeLimitMinutes * 60, leftSeconds) + (exam ? gradingMinutes * 60 : 0);
}
