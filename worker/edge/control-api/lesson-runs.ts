// Runs of lessons: one sandbox or several for a learner, graded step by step. The edge and the cluster decide what passes, never the client.
import type * as z from "zod";
import { limits } from "../../../shared/base/limits.ts";
import type {
  checkStep,
  createRun,
  examAction,
  OwnAccess,
  ResultList,
  resultsQuery,
  Run,
  RunWithTokens,
} from "../../../shared/contract/lesson.ts";
import type { Lesson, Step } from "../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import { audited } from "./access/audit.ts";
import { invalidField } from "./body.ts";
import { ControlError } from "./control-error.ts";
import { decodeCursor, encodeCursor } from "./http/cursor.ts";
import { accessTo, giveTokens } from "./learn/access.ts";
import { changeRun, changeRunSetBack } from "./learn/change-run.ts";
import { gradeDueExams } from "./learn/due-exams.ts";
import { gradeExam, gradeForTeacher, isDue, moved, refuseInExam } from "./learn/exam.ts";
import { accessEndMs } from "./learn/exam-view.ts";
import { learnerUrl, runIdShape } from "./learn/learner.ts";
import { describeRun, resultOf } from "./learn/describe-run.ts";
import { planGrading, requireFitting } from "./learn/grading.ts";
import { attempted, scored, stepProgress, withStep } from "./learn/progress.ts";
import { deleteClusters, resetClusters } from "./learn/run-clusters.ts";
import type { RunPlace } from "./learn/run-place.ts";
import { beginRun, type RunOrigin, untouched } from "./learn/starting.ts";
import { lessonNamed } from "./lessons.ts";
import { expiredError } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { refusalError } from "./states.ts";

export interface FoundRun {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
  /** True if the requested version of the lesson differs from the run's. */
  readonly isMoved?: boolean;
}

/** Starts a run. With `resume`, returns the learner's live run if there is one. */
export async function startRun(
  controlApi: ControlApiServer,
  tenantId: string,
  name: string,
  { learner, version, resume, frameOrigins }: z.output<typeof createRun>,
  origin: RunOrigin = {},
): Promise<RunWithTokens> {
  const place = { tenantId, lesson: name, learner };
  const live = resume ? await controlApi.lessons.liveRun(place, controlApi.nowMs()) : undefined;
  const run = live
    ? await ofRow(controlApi, live)
    : await beginRun(controlApi, tenantId, name, { learner, version, origin });
  const { tokens, clusters } = await accessTo(controlApi, run.row, run.lesson);
  const url = await learnerUrl(controlApi, run.row.id, frameOrigins);
  const { clusters: _, ...described } = describeRun(controlApi, run, controlApi.nowMs());
  return { ...described, url, tokens, ...(clusters ? { clusters } : {}) };
}

/** Returns a run, even an expired one. `step` is the step whose page is shown, at most the learner's current step. */
export async function getRun(controlApi: ControlApiServer, place: RunPlace, step?: number): Promise<Run> {
  const run = await findRun(controlApi, place);
  if (isDue(run, controlApi.nowMs())) return gradeDue(controlApi, place, run);
  if (step !== undefined && step > run.row.step && !run.lesson.exam)
    throw invalidField("step", `must be at most ${run.row.step}, where the learner is`);
  return describeRun(controlApi, run, controlApi.nowMs(), step);
}

/** Grades an exam whose time is over, unless another request does at the same time. */
async function gradeDue(controlApi: ControlApiServer, place: RunPlace, run: FoundRun): Promise<Run> {
  try {
    return await gradeExam(controlApi, run, "time");
  } catch (error) {
    if (!(error instanceof ControlError) || error.code !== "busy") throw error;
    return describeRun(controlApi, await findRun(controlApi, place), controlApi.nowMs());
  }
}

/** Returns the URL of the learner's page. */
export async function linkRun(controlApi: ControlApiServer, place: RunPlace, frameOrigins: readonly string[]) {
  const { row } = await findRun(controlApi, place);
  // The URL authenticates its holder as the learner, so the action is audited.
  return audited(controlApi, row.id, async () => ({ url: await learnerUrl(controlApi, row.id, frameOrigins) }));
}

/** Returns the learner's credentials for the sandbox. */
export async function accessOf(controlApi: ControlApiServer, place: RunPlace): Promise<OwnAccess> {
  const { row, lesson } = await findLiveRun(controlApi, place);
  if (row.isExam && (row.isFinished || accessEndMs(row) <= controlApi.nowMs()))
    throw new ControlError(410, "expired", "the exam is over");
  return accessTo(controlApi, row, lesson);
}

/** Grades the current step. If every check passes, starts the next one. Only a teacher can grade an exam before its end. */
export async function checkRun(
  controlApi: ControlApiServer,
  place: RunPlace,
  { version, answer: newAnswer, answers = {} }: z.output<typeof checkStep>,
  asTeacher = false,
): Promise<Run> {
  const run = await findActiveRun(controlApi, place, version);
  const { row, lesson, step, isMoved = false } = run;
  if (lesson.exam && asTeacher) return gradeForTeacher(controlApi, run);
  refuseInExam(lesson);
  const before = stepProgress(row.progress, row.step);
  if (newAnswer !== undefined && step.question === undefined) throw noQuestion();
  requireFitting(step, before, answers);
  // The new version may declare other users.
  if (isMoved) await giveTokens(controlApi, row, lesson);
  const answer = newAnswer ?? row.answer;
  const plan = planGrading(run, before, { answer, answers });
  const graded = await controlApi.cluster(row.sandboxId).gradeStep(plan.question);
  if (!graded.ok) throw refusalError(graded);
  const { revision } = graded;
  const stepResult = attempted(before, step, { ...plan.read(graded.results), atMs: controlApi.nowMs() });
  const progress = withStep(row.progress, row.step, stepResult);
  const isLast = row.step === lesson.steps.length;
  const next =
    stepResult.isPassed && !isLast
      ? stepBegun(controlApi, { row: { ...row, progress }, to: row.step + 1, revision })
      : { answer, progress };
  const isFinished = row.isFinished || (stepResult.isPassed && isLast);
  return { ...(await changeRun(controlApi, run, { ...next, points: scored(progress), isFinished })), revision };
}

/** Moves to a task of an exam, flags one, or ends the exam. After its end only its grading is left. */
export async function actInExam(
  controlApi: ControlApiServer,
  place: RunPlace,
  action: z.output<typeof examAction>,
): Promise<Run> {
  const run = await findActiveRun(controlApi, place);
  if (!run.lesson.exam) throw invalidField("task", "cannot be chosen: the lesson is no exam");
  const isOver = run.row.isFinished || isDue(run, controlApi.nowMs());
  const changes = moved(run, isOver ? { task: action.task } : action);
  if (run.row.isFinished || !(action.finish === true || isOver)) return changeRun(controlApi, run, changes);
  return gradeExam(controlApi, run, isOver ? "time" : "learner", changes);
}

/** Stores the learner's answer to the question of the current step. */
export async function answerRun(controlApi: ControlApiServer, place: RunPlace, answer: string): Promise<Run> {
  const { row, lesson, step } = await findActiveRun(controlApi, place);
  if (step.question === undefined) throw noQuestion();
  return changeRun(controlApi, { row, lesson }, { answer });
}

/**
 * Restores the cluster to the start of the current step. If the history no longer reaches it, replays the solutions of the previous steps.
 */
export async function restartStep(controlApi: ControlApiServer, place: RunPlace): Promise<Run> {
  const { row, lesson } = await findActiveRun(controlApi, place);
  refuseInExam(lesson);
  const revision = await audited(controlApi, row.sandboxId, async () => {
    const restored = await controlApi.cluster(row.sandboxId).restoreState({ revision: row.stepRevision });
    if (restored.ok) return restored.revision;
    if (restored.code === "revision_gone") return undefined;
    throw refusalError(restored);
  });
  const done = revision ?? (await replayToStep(controlApi, { row, lesson }));
  const begun = (newest: LessonRunRow) => stepBegun(controlApi, { row: newest, to: row.step, revision: done });
  return changeRunSetBack(controlApi, { row, lesson }, begun);
}

/** Restarts the run; its points are lost. With `to`, goes back to the beginning of that step, and the points of earlier steps remain. */
export async function resetRun(controlApi: ControlApiServer, place: RunPlace, to = 1): Promise<Run> {
  const { row, lesson } = await findActiveRun(controlApi, place);
  if (to > row.step) throw invalidField("step", `must be at most ${row.step}, where the learner is`);
  if (lesson.exam) return resetExam(controlApi, { row, lesson }, to);
  const revision = await replayToStep(controlApi, { row: { ...row, step: to }, lesson });
  return changeRunSetBack(controlApi, { row, lesson }, (newest) => {
    if (to === 1) return { ...untouched(controlApi.nowMs()), stepRevision: revision };
    const earlier = Object.entries(newest.progress.steps).filter(([number]) => Number(number) < to);
    const progress = { steps: Object.fromEntries(earlier) };
    const begun = stepBegun(controlApi, { row: { ...newest, progress }, to, revision });
    return { ...begun, points: scored(progress), isFinished: false };
  });
}

/** Resets every cluster of an exam. The learner has access again, until the same time. */
async function resetExam(controlApi: ControlApiServer, run: FoundRun, to: number): Promise<Run> {
  const { row, lesson } = run;
  if (to !== 1) throw invalidField("step", "must be absent: an exam begins again as a whole");
  if (accessEndMs(row) <= controlApi.nowMs())
    throw new ControlError(410, "expired", "the time of the exam is over: start another run");
  const changes = { ...untouched(controlApi.nowMs()), ...(await resetClusters(controlApi, row, lesson)) };
  await giveTokens(controlApi, { ...row, ...changes }, lesson);
  return changeRunSetBack(controlApi, run, () => changes);
}

/** Resets the cluster and replays the solutions of the previous steps. Returns the new revision. */
async function replayToStep(controlApi: ControlApiServer, { row, lesson }: FoundRun): Promise<number> {
  const { stepRevision: first } = await resetClusters(controlApi, row, lesson);
  return row.step === 1 ? first : applySolutions(controlApi, row.sandboxId, lesson.steps.slice(0, row.step - 1));
}

async function applySolutions(
  controlApi: ControlApiServer,
  sandboxId: string,
  steps: readonly Step[],
): Promise<number> {
  const done = await controlApi.cluster(sandboxId).perform(steps.flatMap(({ solution }) => solution));
  if (!done.ok) throw refusalError(done);
  return done.revision;
}

/**
 * Applies the solutions of the steps before `to`, which score no points. With `asLearner`, throws unless the lesson allows learners to
 * skip.
 */
export async function skipTo(
  controlApi: ControlApiServer,
  place: RunPlace,
  to: number,
  asLearner = false,
): Promise<Run> {
  const { row, lesson } = await findActiveRun(controlApi, place);
  refuseInExam(lesson);
  if (asLearner && !lesson.allowsSkipping)
    throw invalidField("step", "cannot be chosen: the lesson does not allow skipping");
  if (to <= row.step || to > lesson.steps.length) {
    throw invalidField(
      "step",
      `must be later than step ${row.step}, where the learner is, and one of ${lesson.steps.length}`,
    );
  }
  const revision = await applySolutions(controlApi, row.sandboxId, lesson.steps.slice(row.step - 1, to - 1));
  let { progress } = row;
  for (let at = row.step; at < to; at++)
    progress = withStep(progress, at, { ...stepProgress(progress, at), isSkipped: true });
  return changeRun(controlApi, { row, lesson }, stepBegun(controlApi, { row: { ...row, progress }, to, revision }));
}

/** Deletes a run with its sandbox. */
export async function deleteRun(controlApi: ControlApiServer, place: RunPlace): Promise<void> {
  const { row } = await findRun(controlApi, place);
  if (row.expiresAtMs > controlApi.nowMs()) await deleteClusters(controlApi, row);
  if (!(await controlApi.lessons.removeRun(row))) throw noRun();
}

export async function listResults(
  controlApi: ControlApiServer,
  tenantId: string,
  lesson: string,
  { limit, cursor, learner, class: classId }: z.output<typeof resultsQuery>,
): Promise<ResultList & { readonly steps: number }> {
  const { facts } = await lessonNamed(controlApi, tenantId, lesson);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const query = { tenantId, lesson, learner, classId, limit: limit + 1, after };
  const listedRows = await controlApi.lessons.listRuns(query);
  const isSomeDue = listedRows.some((row) => isDue({ row }, controlApi.nowMs()));
  if (isSomeDue) await gradeDueExams(controlApi, mostGraded, tenantId);
  const rows = isSomeDue ? await controlApi.lessons.listRuns(query) : listedRows;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const results = page.map((row) => resultOf(controlApi, row, controlApi.nowMs()));
  return { results, steps: facts.steps, ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}) };
}

/** The exams that one request grades. */
const mostGraded = 10;

export async function findRun(
  controlApi: ControlApiServer,
  { tenantId, lesson, run }: RunPlace,
  version?: number,
): Promise<FoundRun> {
  const row = runIdShape.test(run) ? await controlApi.lessons.findRun(tenantId, lesson, run) : undefined;
  if (!row) throw noRun();
  return ofRow(controlApi, row, version);
}

async function ofRow(controlApi: ControlApiServer, row: LessonRunRow, version = row.version): Promise<FoundRun> {
  const { facts, document } = await lessonNamed(controlApi, row.tenantId, row.lesson, version);
  const isMoved = facts.version !== row.version;
  return { row: { ...row, version: facts.version, maxPoints: facts.points }, lesson: document, isMoved };
}

function noRun(): ControlError {
  return new ControlError(404, "not_found", "there is no such run of the lesson");
}

function noQuestion(): ControlError {
  return invalidField("answer", "the step has no question");
}

/** Returns a live run and the learner's current step. */
async function findLiveRun(
  controlApi: ControlApiServer,
  place: RunPlace,
  version?: number,
): Promise<FoundRun & { readonly step: Step }> {
  const run = await findRun(controlApi, place, version);
  const { row, lesson } = run;
  if (row.expiresAtMs <= controlApi.nowMs()) throw expiredError();
  const step = lesson.steps[row.step - 1];
  if (!step) throw invalidField("version", `has no step ${row.step}, where the learner is`);
  return { ...run, step };
}

/** Returns a live run that the teacher has not paused. */
export async function findActiveRun(controlApi: ControlApiServer, place: RunPlace, version?: number) {
  const run = await findLiveRun(controlApi, place, version);
  if (run.row.pausedMs > 0)
    throw new ControlError(409, "paused", "the teacher has paused the run; its time stands still");
  return run;
}

function stepBegun({ nowMs }: ControlApiServer, { row, to, revision }: StepStart) {
  const stepStartedMs = nowMs();
  const before = stepProgress(row.progress, to);
  const progress = withStep(row.progress, to, { ...before, startedMs: before.startedMs ?? stepStartedMs });
  return { step: to, stepRevision: revision, stepStartedMs, answer: "", progress };
}

interface StepStart {
  readonly row: LessonRunRow;
  readonly to: number;
  /** The revision of the cluster at which the step begins. */
  readonly revision: number;
}

/** Throws 429 if the learner acts again within the minimum interval. */
export async function requirePause(controlApi: ControlApiServer, { tenantId, lesson, run }: RunPlace): Promise<void> {
  const row = await controlApi.lessons.findRun(tenantId, lesson, run);
  // A new run has no previous action.
  const waitMs = row && row.change > 0 ? row.changedAtMs + limits.learnerPauseMs - controlApi.nowMs() : 0;
  if (waitMs <= 0) return;
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  throw new ControlError(429, "too_soon", "actions in a run follow too quickly; wait a second", undefined, {
    headers,
  });
}
