// Operations on snapshots: create, find, list and delete. A snapshot is a row and a file.
import type * as z from "zod";
import { limits } from "../../../shared/base/limits.ts";
import type { listQuery } from "../../../shared/contract/sandbox.ts";
import type { createSnapshot, Snapshot, SnapshotList } from "../../../shared/contract/snapshot.ts";
import type { SnapshotRow } from "../db/schema.ts";
import type { SnapshotFacts } from "../db/snapshots.ts";
import { fileKey } from "../files.ts";
import { randomText } from "../mac.ts";
import { ControlError } from "./control-error.ts";
import { decodeCursor, encodeCursor } from "./http/cursor.ts";
import { limitReached, standingOf } from "./tenancy/plans.ts";
import { livingRow, requireFreeSpace } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { finishSnapshot, finishSnapshotLeftovers, isLeftOver, tryToFinishSnapshot } from "./snapshot-leftovers.ts";
import { nodesOf, type State, stateOfSandbox, verifiedState } from "./states.ts";

const dayMs = 24 * 3600 * 1000;
const idPrefix = "snap";
const idShape = /^snap[a-z2-7]{20}$/;

/** Distinguishes snapshot ids from sandbox ids, which are longer. */
export function looksLikeSnapshotId(text: string): boolean {
  return idShape.test(text);
}

export async function makeSnapshot(
  controlApi: ControlApiServer,
  tenantId: string,
  sandboxId: string,
  { name: requestedName, note, revision }: z.output<typeof createSnapshot>,
): Promise<Snapshot> {
  const sandbox = await livingRow(controlApi, tenantId, sandboxId);
  await requireFreeSpace(controlApi);
  await finishSnapshotLeftovers(controlApi, tenantId);
  const { snapshots } = controlApi;
  const id = idPrefix + randomText(20);
  const createdAtMs = controlApi.nowMs();
  const expiresAtMs = createdAtMs + limits.snapshotDays * dayMs;
  const name = requestedName ?? `snapshot-${id.slice(idPrefix.length, idPrefix.length + 6)}`;
  const row = { id, tenantId, sandboxId, sandboxName: sandbox.name, name, note, createdAtMs, expiresAtMs };
  // Insert the row first; it is hidden until the snapshot is ready. If this request is interrupted, the row lets the sweep remove the
  // remains.
  await snapshots.add(row);
  try {
    // The count includes this row, so that two concurrent requests cannot both take the last place.
    if ((await snapshots.count(tenantId, createdAtMs)) > limits.snapshots) throw tooMany();
    const state = await stateOfSandbox(controlApi, sandboxId, revision);
    await requireBytes(controlApi, tenantId, state.bytes.length);
    const facts = await store(controlApi, row, state);
    if (!(await snapshots.markReady(tenantId, id, facts)))
      throw new Error("its making took so long that it was taken for cut off");
    return describe({ ...row, ...facts, state: "ready" });
  } catch (error) {
    await tryToFinishSnapshot(controlApi, row);
    throw error;
  }
}

export async function getSnapshot(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  sandboxId?: string,
): Promise<Snapshot> {
  return describe(await livingSnapshot(controlApi, tenantId, id, sandboxId));
}

/** Lists snapshots. With `sandboxId`, only those of that sandbox, which must exist; otherwise also those of deleted sandboxes. */
export async function listSnapshots(
  controlApi: ControlApiServer,
  tenantId: string,
  { limit, cursor }: z.output<typeof listQuery>,
  sandboxId?: string,
): Promise<SnapshotList> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  if (sandboxId !== undefined) await livingRow(controlApi, tenantId, sandboxId);
  await finishSnapshotLeftovers(controlApi, tenantId);
  const query = { tenantId, sandboxId, nowMs: controlApi.nowMs(), limit: limit + 1, after };
  const rows = await controlApi.snapshots.list(query);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { snapshots: page.map(describe), ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}) };
}

export async function deleteSnapshot(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  sandboxId?: string,
): Promise<void> {
  const row = await anySnapshot(controlApi, tenantId, id, sandboxId);
  // Mark the row first. If this request is interrupted, the snapshot is hidden already, and the sweep finishes the deletion.
  await controlApi.snapshots.markDeleting(tenantId, id);
  await finishSnapshot(controlApi, row);
}

/** Loads the state of a snapshot as it was stored. */
export async function stateOfSnapshot(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<State & { readonly row: SnapshotRow }> {
  const row = await livingSnapshot(controlApi, tenantId, id);
  const bytes = await controlApi.files.get(fileKey(row));
  if (!bytes) {
    controlApi.report(new Error("its file is gone"), `snapshot ${id}`);
    await tryToFinishSnapshot(controlApi, row);
    throw noSnapshot();
  }
  return { ...(await verifiedState(controlApi.secret, bytes)), row };
}

/** Throws if the snapshots of the tenant together would exceed the limit of bytes. */
async function requireBytes(controlApi: ControlApiServer, tenantId: string, requested: number): Promise<void> {
  const limited = (await standingOf(controlApi, tenantId)).limits.snapshotBytes;
  if (limited === null) return;
  const used = await controlApi.snapshots.bytes(tenantId, controlApi.nowMs());
  if (used + requested > limited) throw limitReached({ name: "snapshotBytes", limited, used, requested });
}

async function store(
  controlApi: ControlApiServer,
  row: Pick<SnapshotRow, "tenantId" | "id">,
  state: State,
): Promise<SnapshotFacts> {
  await controlApi.files.put(fileKey(row), state.bytes);
  const { revision, objects } = state.file.header;
  return { revision, objects, nodes: nodesOf(state), bytes: state.bytes.length };
}

/** Returns the row of a ready snapshot that has not expired. */
async function livingSnapshot(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  sandboxId?: string,
): Promise<SnapshotRow> {
  const row = await anySnapshot(controlApi, tenantId, id, sandboxId);
  if (row.expiresAtMs <= controlApi.nowMs()) throw new ControlError(410, "expired", "the snapshot has expired");
  return row;
}

async function anySnapshot(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  sandboxId?: string,
): Promise<SnapshotRow> {
  if (sandboxId !== undefined) await livingRow(controlApi, tenantId, sandboxId);
  const row = looksLikeSnapshotId(id) ? await controlApi.snapshots.find(tenantId, id) : undefined;
  if (row?.state === "ready" && (sandboxId === undefined || row.sandboxId === sandboxId)) return row;
  if (row && isLeftOver(row, controlApi.nowMs())) await tryToFinishSnapshot(controlApi, row);
  throw noSnapshot();
}

function noSnapshot(): ControlError {
  return new ControlError(404, "not_found", "there is no such snapshot");
}

function tooMany(): ControlError {
  return new ControlError(
    409,
    "too_many_snapshots",
    `there are ${limits.snapshots} snapshots, which is the most: delete some`,
  );
}

function describe(row: SnapshotRow): Snapshot {
  const { id, name, note, sandboxId, sandboxName, revision, nodes, objects, bytes, createdAtMs, expiresAtMs } = row;
  return {
    id,
    name,
    note,
    sandbox: { id: sandboxId, name: sandboxName },
    revision,
    nodes,
    objects,
    bytes,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}
