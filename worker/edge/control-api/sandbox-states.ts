// Operations on the states of a sandbox: restore, fork, undo, compare and export.
import type * as z from "zod";
import { limits } from "../../../shared/base/limits.ts";
import type { UndoneState } from "../../../shared/contract/cluster-state.ts";
import type {
  ChangeList,
  ChangesQuery,
  diffQuery,
  forkSandbox,
  restored,
  restoreSandbox,
  undoSandbox,
} from "../../../shared/contract/snapshot.ts";
import { toYaml } from "../../../shared/schema/yaml/write.ts";
import type { Compared } from "../../../shared/state/differences.ts";
import { exportedObjects } from "../../../shared/state/export.ts";
import type { StateFile } from "../../../shared/state/read-state.ts";
import { storedInitialState } from "../files.ts";
import { audited, withoutAudit } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import {
  livingRow,
  type CreatedSandbox,
  makeSandboxOf,
  recordClock,
  requireFreeSpace,
  settingsOf,
} from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { looksLikeSnapshotId, stateOfSnapshot } from "./snapshots.ts";
import { nodesOf, refusalError, type State, stateOfSandbox } from "./states.ts";
import { requireWithin, standingOf } from "./tenancy/plans.ts";

export async function restoreFrom(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { snapshot, revision }: z.output<typeof restoreSandbox>,
): Promise<z.infer<typeof restored>> {
  const row = await livingRow(controlApi, tenantId, id);
  await requireFreeSpace(controlApi);
  const from = revision === undefined ? { file: await fileWithin(controlApi, tenantId, snapshot ?? "") } : { revision };
  return audited(controlApi, id, async () => {
    const done = await controlApi.cluster(id).restoreState(from);
    if (!done.ok) throw refusalError(done, revision === undefined ? "snapshot" : "revision");
    const { version } = done;
    if (version !== row.version) await withoutAudit(controlApi).directory.change(tenantId, id, { version });
    await recordClock(controlApi, tenantId, id);
    return { revision: done.revision };
  });
}

/** Loads the file of a snapshot. Throws 403 if it has more nodes than the plan allows, because it may come from another sandbox. */
async function fileWithin(controlApi: ControlApiServer, tenantId: string, snapshot: string): Promise<Uint8Array> {
  const state = await snapshotNamed(controlApi, tenantId, snapshot);
  const { limits: plan } = await standingOf(controlApi, tenantId);
  requireWithin(plan, { nodes: nodesOf(state) });
  return state.bytes;
}

export async function fork(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { snapshot, revision, controllers, ...options }: z.output<typeof forkSandbox>,
): Promise<CreatedSandbox> {
  await livingRow(controlApi, tenantId, id);
  const state =
    snapshot === undefined
      ? await stateOfSandbox(controlApi, id, revision)
      : await snapshotNamed(controlApi, tenantId, snapshot);
  const settings = controllers === undefined ? {} : { settings: { ...settingsOf(state), controllers } };
  return makeSandboxOf(controlApi, tenantId, options, { state, madeOf: snapshot ?? storedInitialState, ...settings });
}

export async function undo(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { dryRun }: z.output<typeof undoSandbox>,
): Promise<Omit<Extract<UndoneState, { ok: true }>, "ok">> {
  await livingRow(controlApi, tenantId, id);
  const take = async () => {
    const done = await controlApi.cluster(id).undo({ dryRun });
    if (!done.ok) throw refusalError(done);
    if (!dryRun) await recordClock(controlApi, tenantId, id);
    const { ok: _, ...undone } = done;
    return undone;
  };
  return dryRun ? take() : audited(controlApi, id, take);
}

export async function changes(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  query: ChangesQuery,
): Promise<ChangeList> {
  await livingRow(controlApi, tenantId, id);
  const changeList = await controlApi.cluster(id).listChanges(query);
  if (!changeList) throw new ControlError(410, "expired", "the sandbox has expired");
  return changeList;
}

/** Returns both sides of a comparison. */
export async function compared(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { from, to }: z.output<typeof diffQuery>,
): Promise<Compared> {
  await livingRow(controlApi, tenantId, id);
  const [left, right] = [
    await side(controlApi, tenantId, id, from, "from"),
    await side(controlApi, tenantId, id, to, "to"),
  ];
  return { from: left.file, to: right.file, areOfOne: left.sandboxId === id && right.sandboxId === id };
}

/** Exports the state as a file. */
export async function exportState(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return (await stateNow(controlApi, tenantId, id)).bytes;
}

/** Exports the state as documents for `kubectl apply`. */
export async function exportYaml(controlApi: ControlApiServer, tenantId: string, id: string): Promise<string> {
  const { file } = await stateNow(controlApi, tenantId, id);
  return yamlDocuments(file);
}

function yamlDocuments(file: StateFile): string {
  const documents: string[] = [];
  let characters = 0;
  for (const object of exportedObjects(file)) {
    const document = `---\n${toYaml(object)}`;
    characters += document.length;
    if (characters > limits.exportCharacters) {
      const message = `the sandbox has more than ${limits.exportCharacters} characters of YAML: export it with format=state`;
      throw new ControlError(413, "too_large", message);
    }
    documents.push(document);
  }
  return documents.join("");
}

async function stateNow(controlApi: ControlApiServer, tenantId: string, id: string): Promise<State> {
  await livingRow(controlApi, tenantId, id);
  return stateOfSandbox(controlApi, id);
}

/** Resolves one side of a comparison: a revision of the sandbox, `now`, or the id of a snapshot or sandbox. */
async function side(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  name: string,
  field: "from" | "to",
): Promise<{ readonly file: StateFile; readonly sandboxId: string }> {
  try {
    if (name === "now") return { ...(await stateOfSandbox(controlApi, id)), sandboxId: id };
    if (/^\d{1,15}$/.test(name)) return { ...(await stateOfSandbox(controlApi, id, Number(name))), sandboxId: id };
    if (looksLikeSnapshotId(name)) {
      const { file, row } = await stateOfSnapshot(controlApi, tenantId, name);
      return { file, sandboxId: row.sandboxId };
    }
    await livingRow(controlApi, tenantId, name);
    return { ...(await stateOfSandbox(controlApi, name)), sandboxId: name };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new ControlError(error.status, error.code, error.message, field);
  }
}

/** Resolves a name from the body, so that an error names the field. */
async function snapshotNamed(controlApi: ControlApiServer, tenantId: string, name: string): Promise<State> {
  try {
    return await stateOfSnapshot(controlApi, tenantId, name);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new ControlError(error.status, error.code, error.message, "snapshot");
  }
}
