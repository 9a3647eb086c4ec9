// Runs of lessons: a sandbox for a learner, graded step by step. The edge and the cluster decide what passes, never the client.
import type * as z from "zod";
import { classLimits } from "../../../shared/base/lesson-limits.ts";
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
import { createSandbox, newSandbox, type SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import type { Visit } from "../../../shared/contract/tenant-object.ts";
import type { Lesson, Step } from "../../../shared/lesson/lesson.ts";
import { serverOfSandbox } from "../address.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import type { LessonFacts } from "../db/lessons.ts";
import { randomText } from "../mac.ts";
import { sendGrade } from "../lti/grades.ts";
import { audited } from "./access/audit.ts";
import { invalidField } from "./body.ts";
import { ControlError } from "./control-error.ts";
import { decodeCursor, encodeCursor } from "./http/cursor.ts";
import { giveTokens, tokensOf } from "./learn/access.ts";
import { graded, isDue, moved, refuseInExam, sandboxMinutes } from "./learn/exam.ts";
import { sendProgressEvents } from "./learn/events.ts";
import { learnerUrl, runIdShape } from "./learn/learner.ts";
import { describeRun, resultOf } from "./learn/describe-run.ts";
import { planGrading, requireFitting } from "./learn/grading.ts";
import { attempted, scored, stepProgress, withStep } from "./learn/progress.ts";
import type { RunPlace } from "./learn/run-place.ts";
import { lessonNamed } from "./lessons.ts";
import { resetSandbox } from "./reset.ts";
import { deleteSandbox, expiredError, makeSandbox } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { refusalError } from "./states.ts";
import { makeSandboxOfTemplate } from "./templates/templates.ts";

export interface FoundRun {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
  /** True if the requested version of the lesson differs from the run's. */
  readonly isMoved?: boolean;
}

/** The origin of a run that was not started by the teacher's system. */
export interface RunOrigin {
  readonly visit?: RunVisit;
  /** The class whose link the learner used, and the seat. */
  readonly classId?: string;
  readonly seat?: RunSeat;
}

/** The learners of a seat, and the end of their class. */
export interface RunSeat {
  readonly members: readonly string[];
  readonly email: string;
  /** The time at which the run ends; 0 for none. */
  readonly deadlineMs: number;
}

/** The visitor of an embedded page. */
export interface RunVisit {
  readonly publishableKey: string;
  readonly source: Visit;
}

const idPrefix = "run";

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
    : await begun(controlApi, tenantId, name, { learner, version, origin });
  const tokens = await tokensOf(controlApi, run.row, run.lesson);
  const url = await learnerUrl(controlApi, run.row.id, frameOrigins);
  return { ...describeRun(controlApi, run, controlApi.nowMs()), url, tokens };
}

async function begun(
  controlApi: ControlApiServer,
  tenantId: string,
  name: string,
  {
    learner,
    version,
    origin: { visit, classId = "", seat },
  }: Pick<z.output<typeof createRun>, "learner" | "version"> & { readonly origin: RunOrigin },
): Promise<FoundRun> {
  const { facts, document } = await lessonNamed(controlApi, tenantId, name, version);
  // Visitors are anonymous, so they have their own limit and do not use up the learners'.
  if ((await controlApi.lessons.countRuns(tenantId, visit ? "visitors" : "learners")) >= limits.lessonRuns) {
    const message = `there are ${limits.lessonRuns} runs of lessons, which is the most: delete some, or a lesson`;
    throw new ControlError(409, "too_many_runs", message);
  }
  const sandbox = await sandboxFor(controlApi, tenantId, document, { visit, seat });
  try {
    const publishableKey = visit?.publishableKey ?? "";
    const first = await firstRow(controlApi, { tenantId, learner, sandbox, facts, publishableKey, classId, seat });
    await giveTokens(controlApi, first, document);
    const row = { ...first, stepRevision: await applyManifests(controlApi, sandbox.id, document) };
    await controlApi.lessons.addRun(row);
    sendProgressEvents(controlApi, row);
    return { row, lesson: document };
  } catch (error) {
    // Nobody knows the id of the sandbox. If the deletion fails as well, the sandbox expires.
    await deleteSandbox(controlApi, tenantId, sandbox.id).catch((left: unknown) =>
      controlApi.report(left, "a run's sandbox"),
    );
    throw error;
  }
}

async function sandboxFor(
  controlApi: ControlApiServer,
  tenantId: string,
  lesson: Lesson,
  { visit, seat }: Pick<RunOrigin, "visit" | "seat">,
): Promise<SandboxWithToken> {
  const { name, template, manifests, nodes = limits.sandboxNodesDefault, images } = lesson;
  const deadlineMs = seat?.deadlineMs ?? 0;
  const leftSeconds =
    deadlineMs === 0 ? Number.POSITIVE_INFINITY : Math.floor((deadlineMs - controlApi.nowMs()) / 1000);
  if (leftSeconds < limits.sandboxTtlSecondsMin)
    throw new ControlError(410, "expired", "the deadline of the class is over");
  const ttlSeconds = Math.min(sandboxMinutes(lesson) * 60, leftSeconds);
  const options = newSandbox.parse({ ttlSeconds, labels: { lesson: name } });
  const from = visit ? { source: visit.source } : {};
  const { sandbox } =
    template === undefined
      ? await makeSandbox(controlApi, tenantId, createSandbox.parse({ ...options, nodes, manifests, images }), from)
      : await makeSandboxOfTemplate(controlApi, tenantId, { ...options, ...from }, template);
  return sandbox;
}

/** Applies the lesson's manifests to a sandbox that was created from a template. Returns the new revision. */
async function applyManifests(
  controlApi: ControlApiServer,
  sandboxId: string,
  { template, manifests, prepare }: Pick<Lesson, "template" | "manifests" | "prepare">,
): Promise<number> {
  const applied = template === undefined || manifests.trim() === "" ? [] : [{ apply: manifests }];
  const actions = [...applied, ...prepare];
  const done = await controlApi.cluster(sandboxId).perform(actions);
  if (done.ok) return done.revision;
  if (done.code === "solution_refused")
    throw refusalError({ ...done, code: "invalid_manifests", message: `the lesson's manifests: ${done.message}` });
  throw refusalError(done);
}

interface Beginning {
  readonly tenantId: string;
  readonly learner: string;
  readonly sandbox: SandboxWithToken;
  readonly facts: LessonFacts;
  readonly publishableKey: string;
  readonly classId: string;
  readonly seat: RunSeat | undefined;
}

async function firstRow(
  controlApi: ControlApiServer,
  {
    tenantId,
    learner,
    sandbox,
    publishableKey,
    classId,
    seat,
    facts: { name: lesson, version, points: maxPoints },
  }: Beginning,
): Promise<LessonRunRow> {
  const createdAtMs = controlApi.nowMs();
  return {
    ...untouched(createdAtMs),
    id: idPrefix + randomText(20),
    tenantId,
    lesson,
    version,
    learner,
    publishableKey,
    classId,
    sandboxId: sandbox.id,
    stepRevision: 0,
    maxPoints,
    createdAtMs,
    changedAtMs: createdAtMs,
    expiresAtMs: Date.parse(sandbox.expiresAt),
    extraMs: 0,
    pausedMs: 0,
    // Longer than the run, so that extra time needs no new tokens.
    tokensEndMs: Date.parse(sandbox.expiresAt) + classLimits.extraMs + classLimits.pauseMs,
    messages: [],
    members: seat?.members ?? [],
    email: seat?.email ?? "",
    help: { state: "none", lines: [] },
    change: 0,
  };
}

/** Returns the state of a run before the learner's first action. */
function untouched(nowMs: number) {
  return { step: 1, stepStartedMs: nowMs, answer: "", progress: { steps: {} }, points: 0, isFinished: false };
}

/** Returns a run, even an expired one. `step` is the step whose page is shown, at most the learner's current step. */
export async function getRun(controlApi: ControlApiServer, place: RunPlace, step?: number): Promise<Run> {
  const run = await findRun(controlApi, place);
  if (isDue(run, controlApi.nowMs())) return changeRun(controlApi, run, await graded(controlApi, run));
  if (step !== undefined && step > run.row.step && !run.lesson.exam)
    throw invalidField("step", `must be at most ${run.row.step}, where the learner is`);
  return describeRun(controlApi, run, controlApi.nowMs(), step);
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
  const { sandboxId: id } = row;
  return { sandbox: { id, server: serverOfSandbox(controlApi, id) }, tokens: await tokensOf(controlApi, row, lesson) };
}

/** Grades the current step. If every check passes, starts the next one. */
export async function checkRun(
  controlApi: ControlApiServer,
  place: RunPlace,
  { version, answer: newAnswer, answers = {} }: z.output<typeof checkStep>,
): Promise<Run> {
  const run = await findActiveRun(controlApi, place, version);
  const { row, lesson, step, isMoved = false } = run;
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
  const ends = !run.row.isFinished && (action.finish === true || isOver);
  const row = { ...run.row, ...changes };
  const end = ends ? await graded(controlApi, { row, lesson: run.lesson }) : {};
  return changeRun(controlApi, run, { ...changes, ...end });
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
  return changeRun(controlApi, { row, lesson }, stepBegun(controlApi, { row, to: row.step, revision: done }));
}

/** Restarts the run; its points are lost. With `to`, goes back to the beginning of that step, and the points of earlier steps remain. */
export async function resetRun(controlApi: ControlApiServer, place: RunPlace, to = 1): Promise<Run> {
  const { row, lesson } = await findActiveRun(controlApi, place);
  if (to > row.step) throw invalidField("step", `must be at most ${row.step}, where the learner is`);
  const revision = await replayToStep(controlApi, { row: { ...row, step: to }, lesson });
  if (to === 1)
    return changeRun(controlApi, { row, lesson }, { ...untouched(controlApi.nowMs()), stepRevision: revision });
  const earlier = Object.entries(row.progress.steps).filter(([number]) => Number(number) < to);
  const progress = { steps: Object.fromEntries(earlier) };
  const begun = stepBegun(controlApi, { row: { ...row, progress }, to, revision });
  return changeRun(controlApi, { row, lesson }, { ...begun, points: scored(progress), isFinished: false });
}

/** Resets the cluster and replays the solutions of the previous steps. Returns the new revision. */
async function replayToStep(controlApi: ControlApiServer, { row, lesson }: FoundRun): Promise<number> {
  await resetSandbox(controlApi, row.tenantId, row.sandboxId);
  const first = await applyManifests(controlApi, row.sandboxId, lesson);
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
  if (row.expiresAtMs > controlApi.nowMs()) {
    await deleteSandbox(controlApi, place.tenantId, row.sandboxId).catch((error: unknown) => {
      // A concurrent request deleted it.
      if (!(error instanceof ControlError) || error.status !== 404) throw error;
    });
  }
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
  const rows = (await gradeDueExams(controlApi, listedRows)) ? await controlApi.lessons.listRuns(query) : listedRows;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const results = page.map((row) => resultOf(controlApi, row, controlApi.nowMs()));
  return { results, steps: facts.steps, ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}) };
}

/** The exams that one request grades. */
const mostGraded = 10;

/** Grades exams whose time is over although their learners left. Returns whether there were any. */
async function gradeDueExams(controlApi: ControlApiServer, rows: readonly LessonRunRow[]): Promise<boolean> {
  const nowMs = controlApi.nowMs();
  const livingRows = rows.filter(({ isFinished, expiresAtMs }) => !isFinished && expiresAtMs > nowMs);
  let count = 0;
  for (const row of livingRows) {
    const run = await ofRow(controlApi, row);
    if (!run.lesson.exam) break;
    if (!isDue(run, nowMs) || count === mostGraded) continue;
    count += 1;
    await changeRun(controlApi, run, await graded(controlApi, run));
  }
  return count > 0;
}

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

/** Changes a run. A concurrent change is rejected, so that no attempt is lost. */
export async function changeRun(
  controlApi: ControlApiServer,
  { row, lesson }: FoundRun,
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
