// Shared states: a snapshot of a sandbox behind a link, of which everybody with the link gets a fork.
import type * as z from "zod";
import { must } from "../../../../shared/base/assert.ts";
import { sharedStateLimits } from "../../../../shared/base/lesson-limits.ts";
import type {
  createShare,
  ofShare,
  OpenedShare,
  Share,
  ShareList,
  ShareLook,
} from "../../../../shared/contract/hosted/share.ts";
import { newSandbox } from "../../../../shared/contract/sandbox.ts";
import { serverOfSandbox } from "../../address.ts";
import type { SharedCluster, SharedStateRow } from "../../db/learn/share-tables.ts";
import { isTag, randomText, tag } from "../../mac.ts";
import { addressOf } from "../../network.ts";
import { newUserToken } from "../../tokens.ts";
import { ControlError } from "../control-error.ts";
import { kubeconfig } from "../kubeconfig.ts";
import { storeToken } from "../sandbox-tokens.ts";
import { makeSandboxOf } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { deleteSnapshot, makeSnapshot, stateOfSnapshot } from "../snapshots.ts";
import { standingOf } from "../tenancy/plans.ts";
import { type MadeCluster, removeSandboxes } from "./run-clusters.ts";

const tokenShape = /^sbh_(shr[a-z2-7]{20})_([a-z2-7]{51})$/;
const tagLength = 51;
const addressLength = 26;
/** The user of a fork. */
const visitor = { user: "visitor", groups: ["system:masters"] };

export async function makeShare(
  controlApi: ControlApiServer,
  tenantId: string,
  sandboxId: string,
  { title, forks, ttlSeconds, forkTtlSeconds }: z.output<typeof createShare>,
): Promise<Share> {
  const clusters = await snapshotsOf(controlApi, tenantId, sandboxId, title);
  const createdAtMs = controlApi.nowMs();
  const row: SharedStateRow = {
    id: `shr${randomText(20)}`,
    ...{ tenantId, title, snapshotId: must(clusters[0], "a snapshot").snapshotId, forks, used: 0 },
    clusters: clusters.filter(({ name }) => name !== ""),
    ...{ ttlSeconds: forkTtlSeconds, createdAtMs },
    expiresAtMs: createdAtMs + ttlSeconds * 1000,
  };
  if (await controlApi.shares.add(row, sharedStateLimits.shares)) return describe(controlApi, row);
  await deleteSnapshots(controlApi, tenantId, clusters);
  const message = `there are ${sharedStateLimits.shares} shared states, which is the most: delete some`;
  throw new ControlError(409, "too_many_shares", message);
}

/** Makes a snapshot of a sandbox; of one of an exam with several clusters, a snapshot of each. */
async function snapshotsOf(
  controlApi: ControlApiServer,
  tenantId: string,
  sandboxId: string,
  note: string,
): Promise<readonly SharedCluster[]> {
  const run = await controlApi.lessons.findRunOf(tenantId, sandboxId, controlApi.nowMs());
  const places = run && run.clusters.length > 0 ? run.clusters : [{ name: "", sandboxId }];
  const snapshots: SharedCluster[] = [];
  try {
    for (const { name, sandboxId: id } of places)
      snapshots.push({ name, snapshotId: (await makeSnapshot(controlApi, tenantId, id, { note })).id });
    return snapshots;
  } catch (error) {
    await deleteSnapshots(controlApi, tenantId, snapshots);
    throw error;
  }
}

/** Deletes snapshots. Those that a teacher deleted, or that have expired, are skipped. */
async function deleteSnapshots(controlApi: ControlApiServer, tenantId: string, clusters: readonly SharedCluster[]) {
  for (const { snapshotId } of clusters) {
    await deleteSnapshot(controlApi, tenantId, snapshotId).catch((error: unknown) => {
      if (!(error instanceof ControlError) || (error.status !== 404 && error.status !== 410)) throw error;
    });
  }
}

/** Returns the snapshots of a shared state. That of one sandbox has no name. */
function sharedClusters({ clusters, snapshotId }: SharedStateRow): readonly SharedCluster[] {
  return clusters.length > 0 ? clusters : [{ name: "", snapshotId }];
}

export async function listShares(controlApi: ControlApiServer, tenantId: string): Promise<ShareList> {
  const rows = await controlApi.shares.list(tenantId);
  return { shares: await Promise.all(rows.map((row) => describe(controlApi, row))) };
}

/** Revokes a link, and deletes its snapshot. Forks live until they expire. */
export async function deleteShare(controlApi: ControlApiServer, tenantId: string, id: string): Promise<void> {
  const row = await controlApi.shares.find(id);
  if (row?.tenantId !== tenantId || !(await controlApi.shares.remove(tenantId, id))) throw noShare();
  await deleteSnapshots(controlApi, tenantId, sharedClusters(row));
}

export async function lookAtShare(controlApi: ControlApiServer, request: z.output<typeof ofShare>): Promise<ShareLook> {
  const { title, forks, used, ttlSeconds, expiresAtMs } = await shareOf(controlApi, request.share);
  const forksLeft = Math.max(0, forks - used);
  return { title, forksLeft, forkTtlSeconds: ttlSeconds, expiresAt: new Date(expiresAtMs).toISOString() };
}

/** Creates a fork for a person with the link. */
export async function openShare(
  controlApi: ControlApiServer,
  headers: Headers,
  request: z.output<typeof ofShare>,
): Promise<OpenedShare> {
  const row = await shareOf(controlApi, request.share);
  if (row.expiresAtMs <= controlApi.nowMs())
    throw new ControlError(410, "expired", "the link's time is up: ask for a new one");
  if (!(await controlApi.shares.claim(row.id, controlApi.nowMs())))
    throw new ControlError(409, "share_used_up", `all ${row.forks} copies of the link are taken`);
  try {
    return await accessTo(controlApi, row, await forksFor(controlApi, headers, row));
  } catch (error) {
    await controlApi.shares.release(row.id);
    throw error;
  }
}

/** Creates a fork of each cluster. If one is refused, none remains. */
async function forksFor(
  controlApi: ControlApiServer,
  headers: Headers,
  row: SharedStateRow,
): Promise<readonly MadeCluster[]> {
  // The address is not stored, only an HMAC of it, for an hour.
  const address = await tag(controlApi.secret, "share-address", `${row.id}:${addressOf(headers)}`, addressLength);
  const snapshots = sharedClusters(row);
  const forks: MadeCluster[] = [];
  try {
    for (const { name, snapshotId } of snapshots) {
      const state = await stateOfSnapshot(controlApi, row.tenantId, snapshotId);
      const most = sharedStateLimits.forksOfAddress * snapshots.length;
      const source = { kind: "trial", address, ticket: randomText(20), most } as const;
      const labels = { share: row.id, ...(name === "" ? {} : { cluster: name }) };
      const options = newSandbox.parse({ ttlSeconds: row.ttlSeconds, labels });
      const { sandbox } = await makeSandboxOf(
        controlApi,
        row.tenantId,
        { ...options, source },
        { state, madeOf: snapshotId },
      );
      forks.push({ name, sandbox });
    }
    return forks;
  } catch (error) {
    await removeSandboxes(
      controlApi,
      row.tenantId,
      forks.map(({ sandbox }) => sandbox.id),
    );
    throw error;
  }
}

async function accessTo(
  controlApi: ControlApiServer,
  { title }: SharedStateRow,
  forks: readonly MadeCluster[],
): Promise<OpenedShare> {
  const endMs = Math.min(...forks.map(({ sandbox }) => Date.parse(sandbox.expiresAt)));
  const expiresAtMs = Math.floor(endMs / 1000) * 1000;
  const clusters = [];
  for (const { name, sandbox } of forks) {
    const token = await newUserToken(controlApi.secret, sandbox.id, expiresAtMs);
    await storeToken(controlApi, sandbox.id, token, { ...visitor, expiresAtMs, readOnly: false, frameOrigins: [] });
    const place = { id: sandbox.id, server: serverOfSandbox(controlApi, sandbox.id) };
    clusters.push({ name, sandbox: place, tokens: [{ user: visitor.user, token }] });
  }
  const contexts = clusters.map(({ name, sandbox: { server }, tokens: [{ token = "" } = {}] }) => {
    return { name: name || nameOf(title), server, token };
  });
  const { sandbox, tokens } = must(clusters[0], "a fork");
  return {
    sandbox,
    expiresAt: new Date(endMs).toISOString(),
    tokens: tokens.map((access) => ({ ...access, kubeconfig: kubeconfig(contexts, controlApi.ca) })),
    ...(clusters.length > 1 ? { clusters } : {}),
  };
}

/** Returns a name for the context of a kubeconfig. */
function nameOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["shared"];
  return words.join("-").slice(0, 40);
}

async function shareOf(controlApi: ControlApiServer, token: string): Promise<SharedStateRow> {
  const [, id, mac] = tokenShape.exec(token) ?? [];
  const isOurs = id !== undefined && mac !== undefined && (await isTag(controlApi.secret, "share", id, mac, tagLength));
  const row = isOurs ? await controlApi.shares.find(id) : undefined;
  if (!row) throw noShare(token);
  // A person with the link is not told the reason of the suspension.
  if ((await standingOf(controlApi, row.tenantId)).suspended !== "")
    throw new ControlError(403, "suspended", "the organization that shared this state is suspended");
  return row;
}

async function describe({ secret, console: home }: ControlApiServer, row: SharedStateRow): Promise<Share> {
  const { id, title, forks, used, ttlSeconds, createdAtMs, expiresAtMs } = row;
  const url = `${home}/learn/share#sbh_${id}_${await tag(secret, "share", id, tagLength)}`;
  const times = { createdAt: new Date(createdAtMs).toISOString(), expiresAt: new Date(expiresAtMs).toISOString() };
  return { id, title, forks, used, forkTtlSeconds: ttlSeconds, url, ...times };
}

function noShare(token?: string): ControlError {
  const message = "there is no such shared state, or its link was revoked";
  return new ControlError(404, "not_found", message, undefined, token === undefined ? {} : { credential: token });
}
