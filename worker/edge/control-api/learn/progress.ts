// The score of a learner: how attempts, hints and the solution change it.
import { questionLimits } from "../../../../shared/base/lesson-limits.ts";
import type { CheckResult } from "../../../../shared/contract/cluster/lesson.ts";
import type { RunProgress, StepProgress } from "../../../../shared/contract/lesson.ts";
import { pointsOf, type Step } from "../../../../shared/lesson/lesson.ts";
import type { QuestionProgress } from "../../../../shared/lesson/questions.ts";

/** The number of characters of a message that are stored with a run. */
const storedMessageLength = 200;

const untried: StepProgress = { attempts: 0, best: 0, last: 0, checks: [], isPassed: false, isSkipped: false };

export function stepProgress({ steps }: RunProgress, step: number): StepProgress {
  return steps[step] ?? untried;
}

export function withStep(progress: RunProgress, step: number, stepResult: StepProgress): RunProgress {
  return { ...progress, steps: { ...progress.steps, [step]: stepResult } };
}

export interface Attempt {
  /** The results of the step's checks. */
  readonly results: readonly CheckResult[];
  /** The answered questions. */
  readonly questions: Readonly<Record<string, QuestionProgress>>;
  readonly atMs: number;
}

/** Records a try of the learner. */
export function attempted(before: StepProgress, step: Step, attempt: Attempt): StepProgress {
  const next = regraded(before, step, attempt);
  const isPassed = before.isPassed || allHold(step, attempt);
  const tries = [...(before.tries ?? []), { atMs: attempt.atMs, points: next.last }];
  return {
    ...next,
    attempts: before.attempts + 1,
    tries: tries.slice(-questionLimits.storedTries),
    isPassed,
    ...(isPassed && before.passedMs === undefined ? { passedMs: attempt.atMs } : {}),
  };
}

/** Records checks that were graded because the cluster changed, which is no try. Passing the step needs a try. */
export function regraded(before: StepProgress, step: Step, { results, questions }: Attempt): StepProgress {
  const last = pointsIn(step, results, questions);
  return {
    ...before,
    // A learner who has seen the solution earns nothing by repeating it.
    best: before.isSolutionShown ? before.best : Math.max(before.best, last),
    last,
    checks: results.map(({ passed, message }) => ({ passed, message: message.slice(0, storedMessageLength) })),
    ...(Object.keys(questions).length > 0 ? { questions } : {}),
  };
}

export function pointsIn(step: Step, results: readonly CheckResult[], questions: Attempt["questions"]): number {
  return pointsOf({
    checks: step.checks.filter((_, at) => results[at]?.passed === true),
    questions: (step.questions ?? []).filter(({ name }) => questions[name]?.passed === true),
  });
}

function allHold(step: Step, { results, questions }: Attempt): boolean {
  const answered = (step.questions ?? []).every(({ name }) => questions[name]?.passed === true);
  return answered && results.every(({ passed }) => passed);
}

/** Returns the points of a step that count: those of the best attempt, less the price of hints. */
export function netPoints({ best, penalty = 0 }: StepProgress): number {
  return Math.max(0, best - penalty);
}

export function scored({ steps }: RunProgress, of: "best" | "last" = "best"): number {
  const pointsOfStep = of === "best" ? netPoints : ({ last }: StepProgress) => last;
  return Object.values(steps).reduce((sum, stepResult) => sum + pointsOfStep(stepResult), 0);
}
