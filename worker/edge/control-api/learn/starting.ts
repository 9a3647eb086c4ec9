// The start of a run: its sandboxes, the tokens of the lesson's users, and its row.
import type * as z from "zod";
import { classLimits } from "../../../../shared/base/lesson-limits.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { createRun } from "../../../../shared/contract/lesson.ts";
import type { Visit } from "../../../../shared/contract/tenant-object.ts";
import type { Lesson } from "../../../../shared/lesson/lesson.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import type { LessonFacts } from "../../db/lessons.ts";
import { randomText } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import { lessonNamed } from "../lessons.ts";
import type { ControlApiServer } from "../server.ts";
import { giveTokens } from "./access.ts";
import { remindOfEnd } from "./due-exams.ts";
import { sendProgressEvents } from "./events.ts";
import { sandboxSeconds } from "./exam-view.ts";
import { type MadeCluster, makeClusters, prepareClusters, removeSandboxes, withRevisions } from "./run-clusters.ts";

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
  /** The requests for extra time that the deadline includes. */
  readonly timeKeys: readonly string[];
}

/** The visitor of an embedded page. */
export interface RunVisit {
  readonly publishableKey: string;
  readonly source: Visit;
}

const idPrefix = "run";

type Request = Pick<z.output<typeof createRun>, "learner" | "version">;

export async function beginRun(
  controlApi: ControlApiServer,
  tenantId: string,
  name: string,
  { learner, version, origin }: Request & { readonly origin: RunOrigin },
): Promise<{ readonly row: LessonRunRow; readonly lesson: Lesson }> {
  const { visit, seat } = origin;
  const { facts, document } = await lessonNamed(controlApi, tenantId, name, version);
  // Visitors are anonymous, so they have their own limit and do not use up the learners'.
  if ((await controlApi.lessons.countRuns(tenantId, visit ? "visitors" : "learners")) >= limits.lessonRuns) {
    const message = `there are ${limits.lessonRuns} runs of lessons, which is the most: delete some, or a lesson`;
    throw new ControlError(409, "too_many_runs", message);
  }
  if (visit && document.clusters) {
    const message = "the exam has several clusters, which an embedded page cannot show";
    throw new ControlError(403, "not_offered", message, "lesson");
  }
  const ttlSeconds = secondsOf(controlApi, document, seat);
  const source = visit ? { source: visit.source } : {};
  const createdClusters = await makeClusters(controlApi, tenantId, document, { ttlSeconds, ...source });
  const sandboxIds = createdClusters.map(({ sandbox }) => sandbox.id);
  try {
    const first = firstRow(controlApi, { tenantId, learner, createdClusters, facts, document, origin });
    await giveTokens(controlApi, first, document);
    const row = { ...first, ...withRevisions(first.clusters, await prepareClusters(controlApi, sandboxIds, document)) };
    await controlApi.lessons.addRun(row);
    remindOfEnd(controlApi, row);
    sendProgressEvents(controlApi, row);
    return { row, lesson: document };
  } catch (error) {
    await removeSandboxes(controlApi, tenantId, sandboxIds);
    throw error;
  }
}

function secondsOf(controlApi: ControlApiServer, lesson: Lesson, seat: RunSeat | undefined): number {
  const deadlineMs = seat?.deadlineMs ?? 0;
  const leftSeconds =
    deadlineMs === 0 ? Number.POSITIVE_INFINITY : Math.floor((deadlineMs - controlApi.nowMs()) / 1000);
  if (leftSeconds < limits.sandboxTtlSecondsMin)
    throw new ControlError(410, "expired", "the deadline of the class is over");
  return sandboxSeconds(lesson, leftSeconds);
}

interface Beginning {
  readonly tenantId: string;
  readonly learner: string;
  readonly createdClusters: readonly [MadeCluster, ...MadeCluster[]];
  readonly facts: LessonFacts;
  readonly document: Lesson;
  readonly origin: RunOrigin;
}

function firstRow(
  controlApi: ControlApiServer,
  {
    tenantId,
    learner,
    createdClusters,
    document,
    facts: { name: lesson, version, points: maxPoints },
    origin: { visit, classId = "", seat },
  }: Beginning,
): LessonRunRow {
  const createdAtMs = controlApi.nowMs();
  // The first sandbox to end decides.
  const expiresAtMs = Math.min(...createdClusters.map(({ sandbox }) => Date.parse(sandbox.expiresAt)));
  const clusters = createdClusters.map(({ name, sandbox }) => ({ name, sandboxId: sandbox.id, revision: 0 }));
  return {
    ...untouched(createdAtMs),
    id: idPrefix + randomText(20),
    tenantId,
    lesson,
    version,
    learner,
    publishableKey: visit?.publishableKey ?? "",
    classId,
    sandboxId: createdClusters[0].sandbox.id,
    clusters: document.clusters ? clusters : [],
    isExam: document.exam !== undefined,
    stepRevision: 0,
    maxPoints,
    createdAtMs,
    changedAtMs: createdAtMs,
    expiresAtMs,
    extraMs: 0,
    timeKeys: seat?.timeKeys ?? [],
    pausedMs: 0,
    // Longer than the run, so that extra time needs no new tokens.
    tokensEndMs: expiresAtMs + classLimits.extraMs + classLimits.pauseMs,
    messages: [],
    members: seat?.members ?? [],
    email: seat?.email ?? "",
    help: { state: "none", lines: [] },
    change: 0,
  };
}

/** Returns the state of a run before the learner's first action. */
export function untouched(nowMs: number) {
  return { step: 1, stepStartedMs: nowMs, answer: "", progress: { steps: {} }, points: 0, isFinished: false };
}
