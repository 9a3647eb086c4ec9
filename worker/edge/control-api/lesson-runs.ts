// Runs of lessons: a sandbox for a learner, graded step by step. What is passed is decided here and in the object, never by the client.
import type { z } from "zod";
import { limits } from "../../../shared/base/limits.ts";
import type {
  checkStep,
  createRun,
  OwnAccess,
  ResultList,
  resultsQuery,
  Run,
  RunWithTokens,
} from "../../../shared/contract/lesson.ts";
import { createSandbox, type SandboxWithToken } from "../../../shared/contract/sandbox.ts";
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
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { giveTokens, tokensOf } from "./learn/access.ts";
import { tellProgress } from "./learn/events.ts";
import { learnerUrl, runIdShape } from "./learn/learner.ts";
import { attempted, describeRun, resultOf, scored, stepProgress, withStep } from "./learn/progress.ts";
import type { RunPlace } from "./learn/run-place.ts";
import { lessonNamed } from "./lessons.ts";
import { resetSandbox } from "./reset.ts";
import { deleteSandbox, goneError, makeSandbox } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { refusalError } from "./states.ts";
import { makeSandboxOfTemplate } from "./templates/templates.ts";

interface Found {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
  /** The lesson is of another version than what the run went by. */
  readonly isMoved?: boolean;
}

/** Who begins a run, where it is no system of the teacher's. */
export interface RunOrigin {
  readonly visit?: RunVisit;
  /** The class by whose link the learner came. */
  readonly classId?: string;
}

/** A visitor of somebody's page. */
export interface RunVisit {
  readonly publishableKey: string;
  readonly source: Visit;
}

const idPrefix = "run";

/** `resume`: where the learner has a run whose time is not up, it is that one. */
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
    origin: { visit, classId = "" },
  }: Pick<z.output<typeof createRun>, "learner" | "version"> & { readonly origin: RunOrigin },
): Promise<Found> {
  const { facts, document } = await lessonNamed(controlApi, tenantId, name, version);
  // Visitors, who may be anybody, take no learner's place.
  if ((await controlApi.lessons.countRuns(tenantId, visit ? "visitors" : "learners")) >= limits.lessonRuns) {
    const message = `there are ${limits.lessonRuns} runs of lessons, which is the most: delete some, or a lesson`;
    throw new ControlError(409, "too_many_runs", message);
  }
  const sandbox = await sandboxFor(controlApi, tenantId, document, visit);
  try {
    const publishableKey = visit?.publishableKey ?? "";
    const first = await firstRow(controlApi, { tenantId, learner, sandbox, facts, publishableKey, classId });
    await giveTokens(controlApi, first, document);
    const row = { ...first, stepRevision: await prepared(controlApi, sandbox.id, document) };
    await controlApi.lessons.addRun(row);
    tellProgress(controlApi, row);
    return { row, lesson: document };
  } catch (error) {
    // Nobody would know of it; if this fails too, it ends when its time is up.
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
  visit: RunVisit | undefined,
): Promise<SandboxWithToken> {
  const { name, template, manifests, nodes = limits.sandboxNodesDefault, timeLimitMinutes } = lesson;
  const own = { ttlSeconds: timeLimitMinutes * 60, labels: { lesson: name } };
  const from = visit ? { source: visit.source } : {};
  const { sandbox } =
    template === undefined
      ? await makeSandbox(controlApi, tenantId, createSandbox.parse({ ...own, nodes, manifests }), from)
      : await makeSandboxOfTemplate(controlApi, tenantId, { ...own, ...from }, template);
  return sandbox;
}

/** Of a sandbox that began with a template, what the lesson has beside it; gives the revision then. */
async function prepared(
  controlApi: ControlApiServer,
  sandboxId: string,
  { template, manifests }: Pick<Lesson, "template" | "manifests">,
): Promise<number> {
  const actions = template === undefined || manifests.trim() === "" ? [] : [{ apply: manifests }];
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
}

async function firstRow(
  controlApi: ControlApiServer,
  {
    tenantId,
    learner,
    sandbox,
    publishableKey,
    classId,
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
    change: 0,
  };
}

/** What nobody has done anything in. */
function untouched(nowMs: number) {
  return { step: 1, stepStartedMs: nowMs, answer: "", progress: { steps: {} }, points: 0, isFinished: false };
}

/** Also of one whose time is up. `step`: whose page is shown; one that the learner has come to. */
export async function getRun(controlApi: ControlApiServer, place: RunPlace, step?: number): Promise<Run> {
  const run = await found(controlApi, place);
  if (step !== undefined && step > run.row.step)
    throw invalidField("step", `must be at most ${run.row.step}, where the learner is`);
  return describeRun(controlApi, run, controlApi.nowMs(), step);
}

/** The learner's page. */
export async function linkRun(controlApi: ControlApiServer, place: RunPlace, frameOrigins: readonly string[]) {
  const { row } = await found(controlApi, place);
  // Whoever has it is the learner.
  return audited(controlApi, row.id, async () => ({ url: await learnerUrl(controlApi, row.id, frameOrigins) }));
}

/** What the learner enters the sandbox with. */
export async function accessOf(controlApi: ControlApiServer, place: RunPlace): Promise<OwnAccess> {
  const { row, lesson } = await running(controlApi, place);
  const { sandboxId: id } = row;
  return { sandbox: { id, server: serverOfSandbox(controlApi, id) }, tokens: await tokensOf(controlApi, row, lesson) };
}

/** Grades the step that the learner is at; where all its checks hold, the next begins. */
export async function checkRun(
  controlApi: ControlApiServer,
  place: RunPlace,
  { version, answer: given }: z.output<typeof checkStep>,
): Promise<Run> {
  const { row, lesson, step, isMoved = false } = await running(controlApi, place, version);
  if (given !== undefined && step.question === undefined) throw asksNothing();
  // It may have other users.
  if (isMoved) await giveTokens(controlApi, row, lesson);
  const answer = given ?? row.answer;
  const graded = await controlApi.cluster(row.sandboxId).gradeStep({
    expressions: step.checks.map(({ expression }) => expression),
    since: row.stepRevision,
    answer,
    allowsStatusWrites: lesson.allowsStatusWrites,
  });
  if (!graded.ok) throw refusalError(graded);
  const made = attempted(stepProgress(row.progress, row.step), step, graded.results);
  const progress = withStep(row.progress, row.step, made);
  const isLast = row.step === lesson.steps.length;
  const next = made.isPassed && !isLast ? stepBegun(controlApi, row.step + 1, graded.revision) : { answer };
  const isFinished = row.isFinished || (made.isPassed && isLast);
  return changed(controlApi, { row, lesson }, { ...next, progress, points: scored(progress), isFinished });
}

/** What the learner says to the question of the step that they are at. */
export async function answerRun(controlApi: ControlApiServer, place: RunPlace, answer: string): Promise<Run> {
  const { row, lesson, step } = await running(controlApi, place);
  if (step.question === undefined) throw asksNothing();
  return changed(controlApi, { row, lesson }, { answer });
}

/** Sets the cluster back to where the step began. Where history does not go back as far, it begins as for one who skipped the steps before. */
export async function restartStep(controlApi: ControlApiServer, place: RunPlace): Promise<Run> {
  const { row, lesson } = await running(controlApi, place);
  const revision = await audited(controlApi, row.sandboxId, async () => {
    const restored = await controlApi.cluster(row.sandboxId).restoreState({ revision: row.stepRevision });
    if (restored.ok) return restored.revision;
    if (restored.code === "revision_gone") return undefined;
    throw refusalError(restored);
  });
  const done = revision ?? (await madeAgain(controlApi, { row, lesson }));
  return changed(controlApi, { row, lesson }, stepBegun(controlApi, row.step, done));
}

/** All of it from the beginning: its points are gone. */
export async function resetRun(controlApi: ControlApiServer, place: RunPlace): Promise<Run> {
  const { row, lesson } = await running(controlApi, place);
  const stepRevision = await madeAgain(controlApi, { row: { ...row, step: 1 }, lesson });
  return changed(controlApi, { row, lesson }, { ...untouched(controlApi.nowMs()), stepRevision });
}

/** The cluster as the lesson begins, with the steps before the learner's solved. Gives the revision then. */
async function madeAgain(controlApi: ControlApiServer, { row, lesson }: Found): Promise<number> {
  await resetSandbox(controlApi, row.tenantId, row.sandboxId);
  const first = await prepared(controlApi, row.sandboxId, lesson);
  return row.step === 1 ? first : solved(controlApi, row.sandboxId, lesson.steps.slice(0, row.step - 1));
}

async function solved(controlApi: ControlApiServer, sandboxId: string, steps: readonly Step[]): Promise<number> {
  const done = await controlApi.cluster(sandboxId).perform(steps.flatMap(({ solution }) => solution));
  if (!done.ok) throw refusalError(done);
  return done.revision;
}

/** Does what solves the steps before it; they bring no points. `asLearner`: where the lesson lets learners do so. */
export async function skipTo(
  controlApi: ControlApiServer,
  place: RunPlace,
  to: number,
  asLearner = false,
): Promise<Run> {
  const { row, lesson } = await running(controlApi, place);
  if (asLearner && !lesson.allowsSkipping) throw invalidField("step", "cannot be chosen: the lesson lets nobody skip");
  if (to <= row.step || to > lesson.steps.length) {
    throw invalidField(
      "step",
      `must be later than step ${row.step}, where the learner is, and one of ${lesson.steps.length}`,
    );
  }
  const revision = await solved(controlApi, row.sandboxId, lesson.steps.slice(row.step - 1, to - 1));
  let { progress } = row;
  for (let at = row.step; at < to; at++)
    progress = withStep(progress, at, { ...stepProgress(progress, at), isSkipped: true });
  return changed(controlApi, { row, lesson }, { ...stepBegun(controlApi, to, revision), progress });
}

/** With its sandbox. */
export async function deleteRun(controlApi: ControlApiServer, place: RunPlace): Promise<void> {
  const { row } = await found(controlApi, place);
  if (row.expiresAtMs > controlApi.nowMs()) {
    await deleteSandbox(controlApi, place.tenantId, row.sandboxId).catch((error: unknown) => {
      // Somebody was faster.
      if (!(error instanceof ControlError) || error.status !== 404) throw error;
    });
  }
  if (!(await controlApi.lessons.removeRun(row))) throw noRun();
}

export async function listResults(
  controlApi: ControlApiServer,
  tenantId: string,
  lesson: string,
  { limit, cursor, learner }: z.output<typeof resultsQuery>,
): Promise<ResultList & { readonly steps: number }> {
  const { facts } = await lessonNamed(controlApi, tenantId, lesson);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await controlApi.lessons.listRuns({ tenantId, lesson, learner, limit: limit + 1, after });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const results = page.map((row) => resultOf(controlApi, row, controlApi.nowMs()));
  return { results, steps: facts.steps, ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}) };
}

async function found(
  controlApi: ControlApiServer,
  { tenantId, lesson, run }: RunPlace,
  version?: number,
): Promise<Found> {
  const row = runIdShape.test(run) ? await controlApi.lessons.findRun(tenantId, lesson, run) : undefined;
  if (!row) throw noRun();
  return ofRow(controlApi, row, version);
}

async function ofRow(controlApi: ControlApiServer, row: LessonRunRow, version = row.version): Promise<Found> {
  const { facts, document } = await lessonNamed(controlApi, row.tenantId, row.lesson, version);
  const isMoved = facts.version !== row.version;
  return { row: { ...row, version: facts.version, maxPoints: facts.points }, lesson: document, isMoved };
}

function noRun(): ControlError {
  return new ControlError(404, "not_found", "there is no such run of the lesson");
}

function asksNothing(): ControlError {
  return invalidField("answer", "the step asks nothing");
}

/** One whose time is not up, and the step that the learner is at. */
async function running(
  controlApi: ControlApiServer,
  place: RunPlace,
  version?: number,
): Promise<Found & { readonly step: Step }> {
  const run = await found(controlApi, place, version);
  const { row, lesson } = run;
  if (row.expiresAtMs <= controlApi.nowMs()) throw goneError();
  const step = lesson.steps[row.step - 1];
  if (!step) throw invalidField("version", `has no step ${row.step}, where the learner is`);
  return { ...run, step };
}

function stepBegun({ nowMs }: ControlApiServer, step: number, stepRevision: number) {
  return { step, stepRevision, stepStartedMs: nowMs(), answer: "" };
}

/** Of two changes at once one is refused, so that no attempt is lost. */
async function changed(controlApi: ControlApiServer, { row, lesson }: Found, to: Partial<LessonRunRow>): Promise<Run> {
  const { version, maxPoints } = row;
  const next = { version, maxPoints, ...to, changedAtMs: controlApi.nowMs() };
  if (!(await controlApi.lessons.changeRun(row, next))) {
    throw new ControlError(409, "busy", "something else was done in the run meanwhile: ask again");
  }
  const now = { ...row, ...next };
  sendGrade(controlApi, now, row);
  tellProgress(controlApi, now, row);
  return describeRun(controlApi, { row: now, lesson }, controlApi.nowMs());
}

/** Before a learner does something: what follows too soon is refused. */
export async function requirePause(controlApi: ControlApiServer, { tenantId, lesson, run }: RunPlace): Promise<void> {
  const row = await controlApi.lessons.findRun(tenantId, lesson, run);
  // Of a run that has just begun nothing was done yet.
  const waitMs = row && row.change > 0 ? row.changedAtMs + limits.learnerPauseMs - controlApi.nowMs() : 0;
  if (waitMs <= 0) return;
  const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
  throw new ControlError(429, "too_soon", "something was done in the run just now: wait a second", undefined, {
    headers,
  });
}
