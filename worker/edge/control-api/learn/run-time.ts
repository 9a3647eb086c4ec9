// The time of runs: deadlines, extra time and pauses. The end of a run is that of its sandbox, which the cluster enforces.
import { classLimits } from "../../../../shared/base/lesson-limits.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { Reached } from "../../../../shared/contract/hosted/teaching.ts";
import type { TakenClass } from "../../db/learn/classes.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import type { LedRuns } from "../../db/learn/teaching.ts";
import { audited } from "../access/audit.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { lessonNamed } from "../lessons.ts";
import type { ControlApiServer } from "../server.ts";
import { limitsOfSandbox, standingOf } from "../tenancy/plans.ts";

/** The reason that requests to a paused sandbox receive. */
const pausedReason = "the teacher has paused the lesson";

/** Adds time to runs, and to the deadline of the class for learners who join later. */
export async function addTime(controlApi: ControlApiServer, which: LedRuns, minutes: number): Promise<Reached> {
  const addedMs = minutes * 60_000;
  const lessonClass = await classIn(controlApi, which);
  return audited(controlApi, targetOf(which), async () => {
    const { tenantId } = which;
    if (lessonClass && lessonClass.deadlineMs > 0)
      await controlApi.classes.change(tenantId, lessonClass.id, {
        deadlineMs: lessonClass.deadlineMs + addedMs,
      });
    return eachRun(controlApi, which, (row) => {
      const extraMs = row.extraMs + addedMs;
      if (extraMs > classLimits.extraMs)
        throw invalidField("minutes", `must leave at most ${classLimits.extraMs / 60_000} minutes of extra time`);
      return setEnd(controlApi, { ...row, extraMs }, row.expiresAtMs + addedMs);
    });
  });
}

/** Pauses or continues runs. A paused sandbox answers no request, nothing runs in it, and its time stands still. */
export async function pauseRuns(controlApi: ControlApiServer, which: LedRuns, paused: boolean): Promise<Reached> {
  const lessonClass = await classIn(controlApi, which);
  return audited(controlApi, targetOf(which), async () => {
    const nowMs = controlApi.nowMs();
    if (lessonClass) await controlApi.classes.change(which.tenantId, lessonClass.id, { pausedMs: paused ? nowMs : 0 });
    return eachRun(controlApi, which, async (row) => {
      if (row.pausedMs > 0 === paused) return;
      const pausedForMs = Math.min(nowMs - row.pausedMs, classLimits.pauseMs);
      // While the run is paused, its end is later by the longest pause, so that it does not end meanwhile.
      const endMs = row.expiresAtMs + (paused ? classLimits.pauseMs : pausedForMs - classLimits.pauseMs);
      const { suspended, limits: plan } = await standingOf(controlApi, row.tenantId);
      const standing = { suspended, paused: paused ? pausedReason : "", limits: limitsOfSandbox(controlApi, plan) };
      await controlApi.cluster(row.sandboxId).setStanding(standing);
      // A pause counts as extra time, so that a later change of the deadline keeps it.
      const extraMs = row.extraMs + (paused ? 0 : pausedForMs);
      await setEnd(controlApi, { ...row, extraMs, pausedMs: paused ? nowMs : 0 }, endMs);
    });
  });
}

/** Moves the end of the live runs of a class to its deadline, or to the end of the lesson's time limit. Extra time remains. */
export async function applyDeadline(controlApi: ControlApiServer, { id, tenantId, lesson, deadlineMs }: TakenClass) {
  await eachRun(controlApi, { tenantId, lesson, class: id }, async (row) => {
    const { document } = await lessonNamed(controlApi, tenantId, lesson, row.version);
    const limitedMs = row.createdAtMs + document.timeLimitMinutes * 60_000;
    const endMs = (deadlineMs === 0 ? limitedMs : Math.min(limitedMs, deadlineMs)) + row.extraMs;
    await setEnd(controlApi, row, endMs + (row.pausedMs > 0 ? classLimits.pauseMs : 0));
  });
}

/** Sets the end of a run and its sandbox. The cluster is first, because it enforces its end itself. */
async function setEnd(controlApi: ControlApiServer, row: LessonRunRow, expiresAtMs: number): Promise<void> {
  const { tenantId, sandboxId, extraMs, pausedMs } = row;
  if (!(await controlApi.cluster(sandboxId).setExpiry(expiresAtMs)))
    throw new ControlError(410, "expired", "the sandbox has expired");
  await controlApi.directory.change(tenantId, sandboxId, { expiresAtMs });
  await controlApi.teaching.setTime(row.id, { expiresAtMs, extraMs, pausedMs });
  // If this fails, the scheduled run corrects the count.
  await controlApi
    .tenant(tenantId)
    .recordChange(sandboxId, { expiresAtMs })
    .catch((error: unknown) => controlApi.report(error, `the count of tenant ${tenantId}`));
}

/** Changes each live run, a few at a time. One that fails does not stop the others; a single one throws. */
async function eachRun(
  controlApi: ControlApiServer,
  which: LedRuns,
  change: (row: LessonRunRow) => Promise<void>,
): Promise<Reached> {
  const rows = await controlApi.teaching.liveRuns(which, controlApi.nowMs(), classLimits.runsAtOnce);
  const [only] = rows;
  if (which.run !== undefined) {
    if (!only) throw new ControlError(404, "not_found", "there is no such run of the lesson, or its time is up");
    await change(only);
    return { runs: 1, failed: [] };
  }
  const failed: string[] = [];
  for (let at = 0; at < rows.length; at += limits.informedAtOnce) {
    const batch = rows.slice(at, at + limits.informedAtOnce).map(async (row) => {
      await change(row).catch((error: unknown) => {
        failed.push(row.learner);
        if (!(error instanceof ControlError)) controlApi.report(error, `the time of the run ${row.id}`);
      });
    });
    await Promise.all(batch);
  }
  return { runs: rows.length - failed.length, failed };
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
