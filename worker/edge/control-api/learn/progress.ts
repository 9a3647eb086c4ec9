// The score of a learner: how an attempt changes it, and how runs and results present it.
import type { CheckResult } from "../../../../shared/contract/cluster/lesson.ts";
import type { Result, Run, RunProgress, StepProgress } from "../../../../shared/contract/lesson.ts";
import { type Lesson, pointsOf, type Step } from "../../../../shared/lesson/lesson.ts";
import { type ServiceAddress, serverOfSandbox } from "../../address.ts";
import { describeExam } from "./exam-view.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";

/** The number of characters of a message that are stored with a run. */
const storedMessageLength = 200;

const untried: StepProgress = { attempts: 0, best: 0, last: 0, checks: [], isPassed: false, isSkipped: false };

export function stepProgress({ steps }: RunProgress, step: number): StepProgress {
  return steps[step] ?? untried;
}

export function withStep(progress: RunProgress, step: number, stepResult: StepProgress): RunProgress {
  return { ...progress, steps: { ...progress.steps, [step]: stepResult } };
}

export function attempted(before: StepProgress, { checks }: Step, results: readonly CheckResult[]): StepProgress {
  const last = checks.reduce((sum, { points }, at) => sum + (results[at]?.passed ? points : 0), 0);
  return {
    ...before,
    attempts: before.attempts + 1,
    best: Math.max(before.best, last),
    last,
    checks: results.map(({ passed, message }) => ({ passed, message: message.slice(0, storedMessageLength) })),
    isPassed: before.isPassed || results.every(({ passed }) => passed),
  };
}

export function scored({ steps }: RunProgress, of: "best" | "last" = "best"): number {
  return Object.values(steps).reduce((sum, stepResult) => sum + stepResult[of], 0);
}

export function resultOf(address: ServiceAddress, row: LessonRunRow, nowMs: number): Result {
  const { id: run, lesson, version, learner, step, points, maxPoints, progress, sandboxId } = row;
  const time = (ms: number) => new Date(ms).toISOString();
  const tried = Object.keys(progress.steps).map(Number);
  return {
    run,
    lesson,
    version,
    learner,
    ...(row.classId === "" ? {} : { class: row.classId }),
    state: row.isFinished ? "finished" : row.expiresAtMs <= nowMs ? "expired" : "running",
    step,
    points,
    lastPoints: scored(progress, "last"),
    maxPoints,
    startedAt: time(row.createdAtMs),
    stepStartedAt: time(row.stepStartedMs),
    changedAt: time(row.changedAtMs),
    expiresAt: time(row.expiresAtMs),
    sandbox: { id: sandboxId, server: serverOfSandbox(address, sandboxId) },
    steps: Array.from({ length: Math.max(step, ...tried) }, (_, at) => scoreOf(row, at + 1)),
  };
}

/** Describes a run. `shownStep` is the step whose page is shown, at most the learner's current step. */
export function describeRun(
  address: ServiceAddress,
  { row, lesson }: { readonly row: LessonRunRow; readonly lesson: Lesson },
  nowMs: number,
  shownStep = row.step,
): Run {
  const { title = "", text = "", question } = lesson.steps[shownStep - 1] ?? {};
  const isCurrent = shownStep === row.step;
  return describeExam(
    { row, lesson },
    {
      ...resultOf(address, row, nowMs),
      title: lesson.title,
      allowsSkipping: lesson.allowsSkipping,
      steps: lesson.steps.map((step, at) => describeStep(row, step, at + 1)),
      page: {
        step: shownStep,
        title,
        text,
        ...(question === undefined || !isCurrent ? {} : { question }),
        answer: isCurrent ? row.answer : "",
      },
    },
  );
}

function describeStep(row: LessonRunRow, step: Step, number: number): Run["steps"][number] {
  const stepResult = stepProgress(row.progress, number);
  const checks = step.checks.map(({ name, points, hint }, at) => {
    const { passed = false, message = "" } = stepResult.checks[at] ?? {};
    return { name, points, passed, hint: passed || stepResult.attempts === 0 ? "" : hint, message };
  });
  return { ...scoreOf(row, number), title: step.title, maxPoints: pointsOf(step), checks };
}

function scoreOf({ progress, step }: LessonRunRow, number: number): Result["steps"][number] {
  const { attempts, best, last, isPassed, isSkipped } = stepProgress(progress, number);
  const state = isPassed ? "passed" : isSkipped ? "skipped" : number > step ? "ahead" : "current";
  return { state, attempts, best, last };
}
