// The presentation of runs: as results for teachers, and as the learner's page, which holds no answer before it is due.
import { classLimits } from "../../../../shared/base/lesson-limits.ts";
import type { Result, Run, StepProgress, StepScore } from "../../../../shared/contract/lesson.ts";
import { type Action, type Lesson, pointsOf, type Step } from "../../../../shared/lesson/lesson.ts";
import { rightAnswerOf, showQuestion } from "../../../../shared/lesson/questions.ts";
import { type ServiceAddress, serverOfSandbox } from "../../address.ts";
import type { LessonRunRow, StoredCluster } from "../../db/lesson-tables.ts";
import { accessEndMs, describeExam } from "./exam-view.ts";
import { netPoints, scored, stepProgress } from "./progress.ts";
import { helpOf } from "./stored-help.ts";

export function resultOf(address: ServiceAddress, row: LessonRunRow, nowMs: number): Result {
  const { progress, step } = row;
  const tried = Object.keys(progress.steps).map(Number);
  const numbers = Array.from({ length: Math.max(step, ...tried) }, (_, at) => at + 1);
  return { ...factsOf(address, row, nowMs), steps: numbers.map((number) => recordOf(row, number)) };
}

function factsOf(address: ServiceAddress, row: LessonRunRow, nowMs: number): Omit<Result, "steps"> {
  const {
    id: run,
    lesson,
    version,
    learner,
    step,
    points,
    maxPoints,
    progress,
    sandboxId,
    clusters,
    members,
    email,
  } = row;
  const { ended } = progress;
  const clusterOf = ({ name, sandboxId: id }: StoredCluster) => ({
    name,
    sandbox: { id, server: serverOfSandbox(address, id) },
  });
  return {
    run,
    lesson,
    version,
    learner,
    ...(row.classId === "" ? {} : { class: row.classId }),
    ...(members.length === 0 ? {} : { members: [...members] }),
    ...(email === "" ? {} : { email }),
    paused: row.pausedMs > 0,
    state: row.isFinished ? "finished" : endOf(row, nowMs) <= nowMs ? "expired" : "running",
    step,
    points,
    lastPoints: scored(progress, "last"),
    maxPoints,
    startedAt: time(row.createdAtMs),
    stepStartedAt: time(row.stepStartedMs),
    changedAt: time(row.changedAtMs),
    expiresAt: time(endOf(row, nowMs)),
    endsAt: time(accessEndMs({ ...row, expiresAtMs: endOf(row, nowMs) })),
    ...(ended ? { graded: { at: time(ended.atMs), by: ended.by } } : {}),
    sandbox: { id: sandboxId, server: serverOfSandbox(address, sandboxId) },
    ...(clusters.length > 0 ? { clusters: clusters.map(clusterOf) } : {}),
  };
}

/** Returns the shown end of a run: while it is paused, its remaining time stays the same. */
function endOf({ expiresAtMs, pausedMs }: Pick<LessonRunRow, "expiresAtMs" | "pausedMs">, nowMs: number) {
  if (pausedMs === 0) return expiresAtMs;
  return expiresAtMs - classLimits.pauseMs + Math.min(nowMs - pausedMs, classLimits.pauseMs);
}

/** Describes a run. `shownStep` is the step whose page is shown, at most the learner's current step. */
export function describeRun(
  address: ServiceAddress,
  { row, lesson }: { readonly row: LessonRunRow; readonly lesson: Lesson },
  nowMs: number,
  shownStep = row.step,
): Run {
  const run = {
    ...factsOf(address, row, nowMs),
    title: lesson.title,
    allowsSkipping: lesson.allowsSkipping,
    steps: lesson.steps.map((step, at) => describeStep(row, step, at + 1)),
    page: pageOf(row, lesson, shownStep),
    messages: row.messages.map(({ id, atMs, text }) => ({ id, at: time(atMs), text })),
    help: describeHelp(row),
  };
  return describeExam({ row, lesson }, run);
}

function describeHelp(row: LessonRunRow): Run["help"] {
  const { state, terminal, lines } = helpOf(row);
  return { state, ...(terminal === "" ? {} : { terminal }), lines: [...lines] };
}

function pageOf(row: LessonRunRow, lesson: Lesson, number: number): Run["page"] {
  const step = lesson.steps[number - 1];
  const isCurrent = number === row.step;
  const { questions = {}, hints: taken = 0, ...result } = stepProgress(row.progress, number);
  const next = isCurrent ? step?.hints?.[taken] : undefined;
  const after = isCurrent ? step?.solutionAfter : undefined;
  return {
    step: number,
    title: step?.title ?? "",
    text: step?.text ?? "",
    ...(step?.question === undefined || !isCurrent ? {} : { question: step.question }),
    answer: isCurrent ? row.answer : "",
    questions: (step?.questions ?? []).map((definition) =>
      showQuestion(definition, questions[definition.name], row.id),
    ),
    hints: (step?.hints ?? []).slice(0, taken).map(({ text }) => text),
    ...(next ? { nextHint: { price: next.price } } : {}),
    ...(step && result.isSolutionShown ? { solution: solutionOf(step) } : {}),
    ...(after === undefined || result.isSolutionShown ? {} : { solutionAfter: Math.max(0, after - result.attempts) }),
  };
}

/** Returns the solution as Markdown: the author's explanation, or the actions and the right answers. */
export function solutionOf({ explanation, solution, questions = [] }: Step): string {
  if (explanation !== undefined) return explanation;
  const answers = questions.flatMap((definition) => {
    const right = rightAnswerOf(definition);
    return right === undefined ? [] : [`- ${definition.text.replaceAll("\n", " ")} **${right}**`];
  });
  return [...answers, ...solution.map(actionText)].join("\n\n");
}

function actionText(action: Action): string {
  if ("apply" in action) return fenced("yaml", action.apply.trim());
  if ("answer" in action) return `**${action.answer}**`;
  if ("node" in action) return fenced("sh", `ssh ${action.node.name}\n${action.node.run.trim()}`);
  const { apiVersion, kind, namespace, name } = "patch" in action ? action.patch : action.delete;
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const resource = `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}`;
  const place = `${resource} ${name}${namespace === "" ? "" : ` -n ${namespace}`}`;
  if ("delete" in action) return fenced("sh", `kubectl delete ${place}`);
  const patch = JSON.stringify(action.patch.patch).replaceAll("'", String.raw`'\''`);
  return fenced("sh", `kubectl patch ${place} --type=merge -p '${patch}'`);
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function describeStep(row: LessonRunRow, step: Step, number: number): Run["steps"][number] {
  const stepResult = stepProgress(row.progress, number);
  const graded = stepResult.checks.length > 0;
  const checks = step.checks.map(({ name, points, hint }, at) => {
    const { passed = false, message = "" } = stepResult.checks[at] ?? {};
    return { name, points, passed, hint: passed || stepResult.attempts === 0 ? "" : hint, message };
  });
  return { ...scoreOf(row, number), title: step.title, maxPoints: pointsOf(step), graded, checks };
}

function scoreOf(row: LessonRunRow, number: number): StepScore {
  const stepResult = stepProgress(row.progress, number);
  const { attempts, last, isPassed, isSkipped, hints = 0, isSolutionShown = false, passedMs } = stepResult;
  const state = isPassed ? "passed" : isSkipped ? "skipped" : number > row.step ? "ahead" : "current";
  const startedMs = startOf(row, stepResult, number);
  const seconds =
    passedMs === undefined || startedMs === undefined ? {} : { seconds: Math.round((passedMs - startedMs) / 1000) };
  return { state, attempts, best: netPoints(stepResult), last, hints, solutionShown: isSolutionShown, ...seconds };
}

function recordOf(row: LessonRunRow, number: number): Result["steps"][number] {
  const stepResult = stepProgress(row.progress, number);
  const { questions = {}, tries = [], passedMs } = stepResult;
  const startedMs = startOf(row, stepResult, number);
  return {
    ...scoreOf(row, number),
    answers: Object.fromEntries(Object.entries(questions).map(([name, definition]) => [name, { ...definition }])),
    tries: tries.map(({ atMs, points }) => ({ at: time(atMs), points })),
    ...(startedMs === undefined ? {} : { startedAt: time(startedMs) }),
    ...(passedMs === undefined ? {} : { passedAt: time(passedMs) }),
  };
}

/** Returns when the learner first came to a step. Undefined for a step that was not reached. */
function startOf(row: LessonRunRow, { startedMs }: StepProgress, number: number): number | undefined {
  if (startedMs !== undefined) return startedMs;
  if (number === 1) return row.createdAtMs;
  return number === row.step ? row.stepStartedMs : undefined;
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
