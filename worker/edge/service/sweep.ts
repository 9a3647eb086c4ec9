// The scheduled run: finishes interrupted work, deletes old data, and reconciles each tenant's counts with the directory.
import { limits } from "../../../shared/base/limits.ts";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import type { Env } from "../../env.ts";
import { type Backing, backing } from "./backing.ts";
import { gradeExams } from "./grade-exams.ts";
import { finishTenants } from "../control-api/access/tenant.ts";
import { finishLeftovers, forgetExpired } from "../control-api/leftovers.ts";
import { rotateKeys } from "../lti/tool-keys.ts";
import { informTenants } from "../control-api/tenancy/inform-sandboxes.ts";
import { reconcileTenants } from "../control-api/tenancy/reconcile.ts";
import {
  finishSnapshotLeftovers,
  forgetExpiredSnapshots,
  removeUnknownFiles,
} from "../control-api/snapshot-leftovers.ts";

const dayMs = 24 * 3600 * 1000;
/** The time during which an expired sandbox or snapshot answers 410; afterwards it answers 404. */
const rememberMs = 30 * dayMs;

/** Runs every step, also after a failure of another one. */
export async function sweep(env: Env): Promise<void> {
  const service = backing(env);
  const { nowMs } = service;
  const steps: Readonly<Record<string, () => Promise<void>>> = {
    "unfinished sandboxes": () => finishLeftovers(service),
    "expired sandboxes": () => forgetExpired(service, nowMs() - rememberMs),
    "unfinished snapshots": () => finishSnapshotLeftovers(service),
    "expired snapshots": () => forgetExpiredSnapshots(service, rememberMs),
    "unfinished templates": () => finishTemplateLeftovers(service),
    "unknown files": () => removeUnknownFiles(service),
    "deleted tenants": () => finishTenants(service),
    "idempotency keys": () => forgetRepeats(service),
    "audit log": () => pages((size) => service.audit.forgetOld(nowMs() - limits.controlAuditMs, size)),
    sessions: () => pages((size) => service.people.forgetSessions(nowMs(), size)),
    invitations: () => pages((size) => service.members.forgetInvitations(nowMs(), size)),
    "exams whose time is over": async () => void (await gradeExams(service)),
    "runs of lessons": () => forgetRuns(service),
    classes: () => pages((size) => service.classes.forget(nowMs() - limits.lessonRunDays * dayMs, size)),
    "shared states": () => pages((size) => service.shares.forget(nowMs() - limits.snapshotDays * dayMs, size)),
    "launches by LTI": () => forgetLaunches(service),
    "keys of LTI": () => rotateKeys(service),
    "what tenants may do": () => informTenants(service),
    "counts of tenants": () => reconcileTenants(service),
  };
  for (const [what, step] of Object.entries(steps)) {
    await step().catch((error: unknown) => service.report(error, `the scheduled run: ${what}`));
  }
}

/** Their files have no row afterwards and are removed with the unknown files. */
async function finishTemplateLeftovers({ templates, nowMs }: Backing): Promise<void> {
  const madeBeforeMs = nowMs() - limits.sandboxMakingMs;
  for (const row of await templates.leftovers(madeBeforeMs, limits.sandboxesSwept)) await templates.remove(row);
  await templates.forgetNumbers(nowMs() - limits.templateNumberDays * dayMs);
}

async function forgetRepeats({ repeats, nowMs }: Backing): Promise<void> {
  const beforeMs = nowMs() - limits.idempotencyMs;
  await pages((size) => repeats.forgetOld(beforeMs, size), limits.idempotencyPages, limits.idempotencyPage);
}

async function forgetRuns({ lessons, nowMs }: Backing): Promise<void> {
  const beforeMs = nowMs() - limits.lessonRunDays * dayMs;
  await pages((size) => lessons.forgetRuns(beforeMs, size), limits.idempotencyPages, limits.idempotencyPage);
}

async function forgetLaunches({ lti, nowMs }: Backing): Promise<void> {
  const { toolKeySignsMs, toolKeyNewMs, toolKeyPublishedAfterMs, learnerDays } = ltiLimits;
  const keysBeforeMs = nowMs() - toolKeySignsMs - toolKeyNewMs - toolKeyPublishedAfterMs;
  const learnersBeforeMs = nowMs() - learnerDays * dayMs;
  await pages((size) => lti.forget(nowMs(), keysBeforeMs, learnersBeforeMs, size));
}

/** Repeats a step up to the limit of pages for one run. */
async function pages(
  forget: (size: number) => Promise<number>,
  most: number = limits.controlAuditPages,
  size: number = limits.controlAuditPage,
): Promise<void> {
  for (let page = 0; page < most; page++) if ((await forget(size)) < size) return;
}
