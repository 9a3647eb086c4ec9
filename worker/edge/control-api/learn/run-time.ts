// The time of runs: deadlines, extra time and pauses. The end of a run is that of its sandboxes, which each cluster enforces.
import type * as z from "zod";
import { classLimits } from "../../../../shared/base/lesson-limits.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { addTime as addTimeBody, Reached } from "../../../../shared/contract/hosted/teaching.ts";
import type { TakenClass } from "../../db/learn/classes.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import type { LedRuns } from "../../db/learn/teaching.ts";
import { randomText } from "../../mac.ts";
import { audited, withoutAudit } from "../access/audit.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { lessonNamed } from "../lessons.ts";
import type { ControlApiServer } from "../server.ts";
import { limitsOfSandbox, standingOf } from "../tenancy/plans.ts";
import { giveTokens } from "./access.ts";
import { remindOfEnd } from "./due-exams.ts";
import { gradingMs } from "./exam-view.ts";
import { clustersOfRun } from "./run-clusters.ts";

/** The reason that requests to a paused sandbox receive. */
const pausedReason = "the teacher has paused the lesson";

/** The attempts to change the time of a run that others change at the same time. */
const attempts = 5;
const keyLength = 16;

/**
 * Adds time to runs, and to the deadline of the class for learners who join later. A run or class that remembers the key of the request keeps
 * its time, so a request that failed for some runs can be repeated.
 */
export async function addTime(
  controlApi: ControlApiServer,
  which: LedRuns,
  { minutes, key = randomText(keyLength) }: Pick<z.output<typeof addTimeBody>, "minutes" | "key">,
): Promise<Reached> {
  const addedMs = minutes * 60_000;
  const lessonClass = await classIn(controlApi, which);
  return audited(controlApi, targetOf(which), async () => {
    if (lessonClass) await controlApi.classes.addTime(lessonClass, addedMs, key, classLimits.timeKeys);
    return eachRun(controlApi, which, async (row) => {
      if (row.isExam && row.isFinished) {
        if (which.run === undefined) return false;
        throw invalidField("run", "is an exam that was graded: reset it, or start another run");
      }
      await changeTime(controlApi, row, (before) => withTime(before, addedMs, key));
      return true;
    });
  });
}

/** Adds time to a run. A run that has it keeps its end, which the caller then sets again, because an earlier request may have failed halfway. */
function withTime(row: LessonRunRow, addedMs: number, key: string): LessonRunRow {
  if (row.timeKeys.includes(key)) return row;
  const extraMs = row.extraMs + addedMs;
  if (extraMs > classLimits.extraMs)
    throw invalidField("minutes", `must leave at most ${classLimits.extraMs / 60_000} minutes of extra time`);
  const timeKeys = [...row.timeKeys, key].slice(-classLimits.timeKeys);
  return { ...row, extraMs, expiresAtMs: row.expiresAtMs + addedMs, timeKeys };
}

/** Pauses or continues runs. A paused sandbox answers no request, nothing runs in it, and its time stands still. */
export async function pauseRuns(controlApi: ControlApiServer, which: LedRuns, paused: boolean): Promise<Reached> {
  const lessonClass = await classIn(controlApi, which);
  return audited(controlApi, targetOf(which), async () => {
    const nowMs = controlApi.nowMs();
    if (lessonClass) await controlApi.classes.change(which.tenantId, lessonClass.id, { pausedMs: paused ? nowMs : 0 });
    return eachRun(controlApi, which, async (row) => {
      if (row.pausedMs > 0 === paused) return true;
      const { suspended, limits: plan } = await standingOf(controlApi, row.tenantId);
      const standing = { suspended, paused: paused ? pausedReason : "", limits: limitsOfSandbox(controlApi, plan) };
      for (const { sandboxId } of clustersOfRun(row)) await controlApi.cluster(sandboxId).setStanding(standing);
      await changeTime(controlApi, row, (before) => withPause(before, paused, nowMs));
      return true;
    });
  });
}

function withPause(row: LessonRunRow, paused: boolean, nowMs: number): LessonRunRow {
  if (row.pausedMs > 0 === paused) return row;
  const pausedForMs = Math.min(nowMs - row.pausedMs, classLimits.pauseMs);
  // While the run is paused, its end is later by the longest pause, so that it does not end meanwhile.
  const expiresAtMs = row.expiresAtMs + (paused ? classLimits.pauseMs : pausedForMs - classLimits.pauseMs);
  // A pause counts as extra time, so that a later change of the deadline keeps it.
  const extraMs = row.extraMs + (paused ? 0 : pausedForMs);
  return { ...row, expiresAtMs, extraMs, pausedMs: paused ? nowMs : 0 };
}

/** Moves the end of the live runs of a class to its deadline, or to the end of the lesson's time limit. Extra time remains. */
export async function applyDeadline(controlApi: ControlApiServer, { id, tenantId, lesson, deadlineMs }: TakenClass) {
  await eachRun(controlApi, { tenantId, lesson, class: id }, async (row) => {
    const { document } = await lessonNamed(controlApi, tenantId, lesson, row.version);
    const limitedMs = row.createdAtMs + document.timeLimitMinutes * 60_000;
    const accessMs = deadlineMs === 0 ? limitedMs : Math.min(limitedMs, deadlineMs);
    await changeTime(controlApi, row, (before) => {
      const endMs = accessMs + before.extraMs + (before.isExam ? gradingMs : 0);
      return { ...before, expiresAtMs: endMs + (before.pausedMs > 0 ? classLimits.pauseMs : 0) };
    });
    return true;
  });
}

/**
 * Changes the time of a run. `change` computes it from the newest row, and is called again if another request changed the time meanwhile, so that
 * no request is lost.
 */
async function changeTime(
  controlApi: ControlApiServer,
  row: LessonRunRow,
  change: (row: LessonRunRow) => LessonRunRow,
): Promise<void> {
  let newest = row;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (await setTime(controlApi, newest, change(newest))) return;
    const stored = await controlApi.lessons.findRun(row.tenantId, row.lesson, row.id);
    if (!stored) throw new ControlError(410, "expired", "the run was deleted");
    newest = stored;
  }
  throw new ControlError(409, "busy", "concurrent requests changed the time of the run; try again");
}

/**
 * Sets the time of a run and its sandboxes. Returns false if the run's time was changed meanwhile. The clusters are first, because they enforce
 * their end themselves. An exam's tokens end with the learner's access, so their end moves, too.
 */
async function setTime(controlApi: ControlApiServer, row: LessonRunRow, moved: LessonRunRow): Promise<boolean> {
  const { tenantId, expiresAtMs, extraMs, pausedMs, timeKeys } = moved;
  let isAlive = false;
  for (const { sandboxId } of clustersOfRun(row))
    isAlive = (await setSandboxEnd(controlApi, tenantId, sandboxId, expiresAtMs)) || isAlive;
  if (!isAlive) throw new ControlError(410, "expired", "the sandbox has expired");
  if (!(await controlApi.teaching.setTime(row, { expiresAtMs, extraMs, pausedMs, timeKeys }))) return false;
  if (!row.isExam || row.isFinished) return true;
  const { document } = await lessonNamed(controlApi, tenantId, row.lesson, row.version);
  await giveTokens(withoutAudit(controlApi), moved, document);
  remindOfEnd(controlApi, moved);
  return true;
}

/** Returns false if the sandbox was deleted. */
async function setSandboxEnd(controlApi: ControlApiServer, tenantId: string, id: string, expiresAtMs: number) {
  if (!(await controlApi.cluster(id).setExpiry(expiresAtMs))) return false;
  await controlApi.directory.change(tenantId, id, { expiresAtMs });
  // If this fails, the scheduled run corrects the count.
  await controlApi
    .tenant(tenantId)
    .recordChange(id, { expiresAtMs })
    .catch((error: unknown) => controlApi.report(error, `the count of tenant ${tenantId}`));
  return true;
}

/** Changes each live run, a few at a time. `change` returns false for one that it leaves out. One that fails does not stop the others; a single one throws. */
async function eachRun(
  controlApi: ControlApiServer,
  which: LedRuns,
  change: (row: LessonRunRow) => Promise<boolean>,
): Promise<Reached> {
  const rows = await controlApi.teaching.liveRuns(which, controlApi.nowMs(), classLimits.runsAtOnce);
  const [only] = rows;
  if (which.run !== undefined) {
    if (!only) throw new ControlError(404, "not_found", "there is no such run of the lesson, or its time is up");
    await change(only);
    return { runs: 1, failed: [] };
  }
  const failed: string[] = [];
  let runs = 0;
  for (let at = 0; at < rows.length; at += limits.informedAtOnce) {
    const batch = rows.slice(at, at + limits.informedAtOnce).map(async (row) => {
      try {
        if (await change(row)) runs += 1;
      } catch (error) {
        failed.push(row.learner);
        if (!(error instanceof ControlError)) controlApi.report(error, `the time of the run ${row.id}`);
      }
    });
    await Promise.all(batch);
  }
  return { runs, failed };
}

async function classIn(controlApi: ControlApiServer, { tenantId, lesson, class: id }: LedRuns) {
  await lessonNamed(controlApi, tenantId, lesson);
  if (id === undefined) return undefined;
  const row = await controlApi.classes.find(id);
  if (row?.tenantId !== tenantId || row.lesson !== lesson)
    throw new ControlError(404, "not_found", "there is no such class of the lesson");
  return row;
}

function targetOf({ run, class: classId, lesson }: LedRuns): string {
  return run ?? classId ?? lesson;
}
