// Runs of lessons: a sandbox for a learner, graded step by step. What is passed is decided here and in the object, never by the client.
import type { z } from "zod";
import { limits } from "../../../shared/base/limits.ts";
import type { CheckResult } from "../../../shared/contract/cluster-lesson.ts";
import type {
  createRun,
  Result,
  ResultList,
  resultsQuery,
  Run,
  RunProgress,
  RunWithTokens,
  StepProgress,
} from "../../../shared/contract/lesson.ts";
import { createSandbox, type SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import type { Visit } from "../../../shared/contract/tenant-object.ts";
import { type Lesson, pointsOf, type Step } from "../../../shared/lesson/lesson.ts";
import { serverOfSandbox } from "../address.ts";
import type { LessonFacts } from "../db/lessons.ts";
import type { LessonRunRow } from "../db/lesson-tables.ts";
import { randomText } from "../mac.ts";
import { invalidField } from "./body.ts";
import { audited } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { lessonNamed } from "./lessons.ts";
import { makeUserToken } from "./sandbox-tokens.ts";
import { deleteSandbox, goneError, makeSandbox } from "./sandboxes.ts";
import type { ControlApiServer } from "./service.ts";
import { refusalError } from "./states.ts";

/** Which run is meant. */
export interface RunPlace {
  readonly tenantId: string;
  readonly lesson: string;
  readonly run: string;
}

interface Found {
  readonly row: LessonRunRow;
  readonly lesson: Lesson;
}

/** Of a run that a visitor of somebody's page begins. */
export interface RunVisit {
  readonly publishableKey: string;
  readonly source: Visit;
}

const idPrefix = "run";
const idShape = /^run[a-z2-7]{20}$/;
/** Characters of a message that are kept with a run. */
const keptMessage = 200;

export async function startRun(
  service: ControlApiServer,
  tenantId: string,
  name: string,
  { learner, version }: z.output<typeof createRun>,
  visit?: RunVisit,
): Promise<RunWithTokens> {
  const { facts, document } = await lessonNamed(service, tenantId, name, version);
  // Visitors, who may be anybody, take no learner's place.
  if ((await service.lessons.countRuns(tenantId, visit ? "visitors" : "learners")) >= limits.lessonRuns) {
    const message = `there are ${limits.lessonRuns} runs of lessons, which is the most: delete a lesson`;
    throw new ControlError(409, "too_many_runs", message);
  }
  const { manifests, nodes, timeLimitMinutes } = document;
  const asked = { ttlSeconds: timeLimitMinutes * 60, nodes, manifests, labels: { lesson: name } };
  const from = visit ? { source: visit.source } : {};
  const { sandbox } = await makeSandbox(service, tenantId, createSandbox.parse(asked), from);
  try {
    const tokens = await tokensFor(service, tenantId, sandbox, document);
    const row = await newRow(service, {
      tenantId,
      learner,
      sandbox,
      facts,
      publishableKey: visit?.publishableKey ?? "",
    });
    await service.lessons.addRun(row);
    return { ...describe(service, { row, lesson: document }), tokens };
  } catch (error) {
    // Nobody would know of it; if this fails too, it ends when its time is up.
    await deleteSandbox(service, tenantId, sandbox.id).catch((left: unknown) =>
      service.report(left, "a run's sandbox"),
    );
    throw error;
  }
}

async function tokensFor(
  service: ControlApiServer,
  tenantId: string,
  { id, name, server }: SandboxWithToken,
  { users, timeLimitMinutes }: Lesson,
): Promise<RunWithTokens["tokens"]> {
  const tokens: RunWithTokens["tokens"] = [];
  for (const { name: user, groups } of users) {
    const asked = { ttlSeconds: timeLimitMinutes * 60, user, groups, frameOrigins: [] };
    const { token } = await makeUserToken(service, tenantId, id, asked);
    tokens.push({ user, token, kubeconfig: kubeconfig({ name, server, token, ca: service.ca }) });
  }
  return tokens;
}

interface Beginning {
  readonly tenantId: string;
  readonly learner: string;
  readonly sandbox: SandboxWithToken;
  readonly facts: LessonFacts;
  readonly publishableKey: string;
}

async function newRow(
  service: ControlApiServer,
  { tenantId, learner, sandbox, publishableKey, facts: { name: lesson, version, points: maxPoints } }: Beginning,
): Promise<LessonRunRow> {
  const begun = await service.cluster(sandbox.id).perform([]);
  if (!begun.ok) throw refusalError(begun);
  const createdAtMs = service.nowMs();
  return {
    id: idPrefix + randomText(20),
    tenantId,
    lesson,
    version,
    learner,
    publishableKey,
    sandboxId: sandbox.id,
    step: 1,
    stepRevision: begun.revision,
    answer: "",
    progress: { steps: {} },
    points: 0,
    maxPoints,
    isFinished: false,
    createdAtMs,
    changedAtMs: createdAtMs,
    expiresAtMs: Date.parse(sandbox.expiresAt),
    change: 0,
  };
}

/** Also of one whose time is up. */
export async function getRun(service: ControlApiServer, place: RunPlace): Promise<Run> {
  return describe(service, await found(service, place));
}

/** Grades the step that the learner is at; where all its checks hold, the next begins. */
export async function checkRun(service: ControlApiServer, place: RunPlace, version?: number): Promise<Run> {
  const { row, lesson, step } = await running(service, place, version);
  const graded = await service.cluster(row.sandboxId).gradeStep({
    expressions: step.checks.map(({ expression }) => expression),
    since: row.stepRevision,
    answer: row.answer,
    allowsStatusWrites: lesson.allowsStatusWrites,
  });
  if (!graded.ok) throw refusalError(graded);
  const made = attempted(stepProgress(row.progress, row.step), step, graded.results);
  const progress = withStep(row.progress, row.step, made);
  const isLast = row.step === lesson.steps.length;
  const next = made.isPassed && !isLast ? { step: row.step + 1, stepRevision: graded.revision, answer: "" } : {};
  const isFinished = row.isFinished || (made.isPassed && isLast);
  return changed(service, { row, lesson }, { ...next, progress, points: scored(progress), isFinished });
}

/** What the learner says to the question of the step that they are at. */
export async function answerRun(service: ControlApiServer, place: RunPlace, answer: string): Promise<Run> {
  const { row, lesson, step } = await running(service, place);
  if (step.question === undefined) throw invalidField("answer", "the step asks nothing");
  return changed(service, { row, lesson }, { answer });
}

/** Sets the cluster back to where the step began. */
export async function restartStep(service: ControlApiServer, place: RunPlace): Promise<Run> {
  const { row, lesson } = await running(service, place);
  const done = await audited(service, row.sandboxId, async () => {
    const restored = await service.cluster(row.sandboxId).restoreState({ revision: row.stepRevision });
    if (!restored.ok) throw refusalError(restored);
    return restored;
  });
  return changed(service, { row, lesson }, { stepRevision: done.revision, answer: "" });
}

/** Does what solves the steps before it; they bring no points. */
export async function skipTo(service: ControlApiServer, place: RunPlace, to: number): Promise<Run> {
  const { row, lesson } = await running(service, place);
  if (to <= row.step || to > lesson.steps.length) {
    throw invalidField(
      "step",
      `must be later than step ${row.step}, where the learner is, and one of ${lesson.steps.length}`,
    );
  }
  const skipped = lesson.steps.slice(row.step - 1, to - 1);
  const done = await service.cluster(row.sandboxId).perform(skipped.flatMap(({ solution }) => solution));
  if (!done.ok) throw refusalError(done);
  let { progress } = row;
  for (let at = row.step; at < to; at++)
    progress = withStep(progress, at, { ...stepProgress(progress, at), isSkipped: true });
  return changed(service, { row, lesson }, { step: to, stepRevision: done.revision, answer: "", progress });
}

export async function listResults(
  service: ControlApiServer,
  tenantId: string,
  lesson: string,
  { limit, cursor }: z.output<typeof resultsQuery>,
): Promise<ResultList> {
  await lessonNamed(service, tenantId, lesson);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await service.lessons.listRuns({ tenantId, lesson, limit: limit + 1, after });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const results = page.map((row) => resultOf(row, service.nowMs()));
  return { results, ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}) };
}

async function found(service: ControlApiServer, { tenantId, lesson, run }: RunPlace, version?: number): Promise<Found> {
  const row = idShape.test(run) ? await service.lessons.findRun(tenantId, lesson, run) : undefined;
  if (!row) throw new ControlError(404, "not_found", "there is no such run of the lesson");
  const { facts, document } = await lessonNamed(service, tenantId, lesson, version ?? row.version);
  return { row: { ...row, version: facts.version, maxPoints: facts.points }, lesson: document };
}

/** One whose time is not up, and the step that the learner is at. */
async function running(
  service: ControlApiServer,
  place: RunPlace,
  version?: number,
): Promise<Found & { readonly step: Step }> {
  const { row, lesson } = await found(service, place, version);
  if (row.expiresAtMs <= service.nowMs()) throw goneError();
  const step = lesson.steps[row.step - 1];
  if (!step) throw invalidField("version", `has no step ${row.step}, where the learner is`);
  return { row, lesson, step };
}

/** Of two changes at once one is refused, so that no attempt is lost. */
async function changed(service: ControlApiServer, { row, lesson }: Found, to: Partial<LessonRunRow>): Promise<Run> {
  const { version, maxPoints } = row;
  const next = { version, maxPoints, ...to, changedAtMs: service.nowMs() };
  if (!(await service.lessons.changeRun(row, next))) {
    throw new ControlError(409, "busy", "something else was done in the run meanwhile: ask again");
  }
  return describe(service, { row: { ...row, ...next }, lesson });
}

const untried: StepProgress = { attempts: 0, best: 0, last: 0, checks: [], isPassed: false, isSkipped: false };

function stepProgress({ steps }: RunProgress, step: number): StepProgress {
  return steps[step] ?? untried;
}

function withStep({ steps }: RunProgress, step: number, made: StepProgress): RunProgress {
  return { steps: { ...steps, [step]: made } };
}

function attempted(before: StepProgress, { checks }: Step, results: readonly CheckResult[]): StepProgress {
  const last = checks.reduce((sum, { points }, at) => sum + (results[at]?.passed ? points : 0), 0);
  return {
    ...before,
    attempts: before.attempts + 1,
    best: Math.max(before.best, last),
    last,
    checks: results.map(({ passed, message }) => ({ passed, message: message.slice(0, keptMessage) })),
    isPassed: before.isPassed || results.every(({ passed }) => passed),
  };
}

function scored({ steps }: RunProgress): number {
  return Object.values(steps).reduce((sum, { best }) => sum + best, 0);
}

function resultOf(row: LessonRunRow, nowMs: number): Result {
  const { id: run, lesson, version, learner, step, points, maxPoints } = row;
  const [startedAt, changedAt, expiresAt] = [row.createdAtMs, row.changedAtMs, row.expiresAtMs].map((ms) =>
    new Date(ms).toISOString(),
  ) as [string, string, string];
  const state = row.isFinished ? "finished" : row.expiresAtMs <= nowMs ? "expired" : "running";
  return { run, lesson, version, learner, state, step, points, maxPoints, startedAt, changedAt, expiresAt };
}

function describe(service: ControlApiServer, { row, lesson }: Found): Run {
  const { title = "", text = "", question } = lesson.steps[row.step - 1] ?? {};
  return {
    ...resultOf(row, service.nowMs()),
    sandbox: { id: row.sandboxId, server: serverOfSandbox(service, row.sandboxId) },
    title: lesson.title,
    steps: lesson.steps.map((step, at) => describeStep(step, stepProgress(row.progress, at + 1), at + 1 - row.step)),
    page: { title, text, ...(question === undefined ? {} : { question }), answer: row.answer },
  };
}

/** `ahead`: how far the step is after the one that the learner is at. */
function describeStep(step: Step, made: StepProgress, ahead: number): Run["steps"][number] {
  const { attempts, best, last } = made;
  const state = made.isPassed ? "passed" : made.isSkipped ? "skipped" : ahead > 0 ? "ahead" : "current";
  const checks = step.checks.map(({ name, points, hint }, at) => {
    const { passed = false, message = "" } = made.checks[at] ?? {};
    return { name, points, passed, hint: passed || attempts === 0 ? "" : hint, message };
  });
  return { title: step.title, state, attempts, best, last, maxPoints: pointsOf(step), checks };
}
