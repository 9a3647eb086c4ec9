// Resets a sandbox in place to the content that it was created from.
import { limits } from "../../../shared/base/limits.ts";
import type { SandboxRow } from "../db/schema.ts";
import { initialStateKey, fileKey, importedInitialState, storedInitialState } from "../files.ts";
import { hashOf, randomText } from "../mac.ts";
import { adminTokenCharacters } from "../tokens.ts";
import { audited, withoutAudit } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import { expiredError, livingRow, recordClock, requireFreeSpace } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { stateOfSnapshot } from "./snapshots.ts";
import { nodesOf, refusalError, type State, verifiedState } from "./states.ts";
import { isTemplateId } from "./templates/name.ts";

/** The `madeOf` of older sandboxes that were created from an uploaded state, which was not stored. */
const unstoredState = "state";

/** Returns the new revision. */
export async function resetSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  /** Called after the file is loaded, and before the cluster is reset. */
  beforeReset: (row: SandboxRow) => Promise<unknown> = async () => undefined,
): Promise<{ revision: number }> {
  const row = await livingRow(controlApi, tenantId, id);
  await requireFreeSpace(controlApi);
  return audited(controlApi, id, async () => {
    const { bytes: file, nodes } = await loadInitialState(controlApi, row);
    await beforeReset(row);
    const restored = await controlApi.cluster(id).restoreState({ file });
    if (!restored.ok) throw refusalError(restored);
    const { version } = restored;
    if (nodes !== row.nodes || version !== row.version)
      await withoutAudit(controlApi).directory.change(tenantId, id, { nodes, version });
    await recordClock(controlApi, tenantId, id);
    return { revision: restored.revision };
  });
}

interface InitialState {
  readonly bytes: Uint8Array;
  readonly nodes: number;
}

/**
 * Loads the state that a sandbox was created with. `madeOf` names its origin: "" for the sandbox's own fields, or the id of a template or a
 * snapshot. `storedInitialState` and `importedInitialState` name a file of its own; `unstoredState` names a state that was not kept.
 */
async function loadInitialState(controlApi: ControlApiServer, row: SandboxRow): Promise<InitialState> {
  if (row.madeOf === "") return rebuildState(controlApi, row);
  if (row.madeOf === storedInitialState) return loadSource(controlApi, initialStateKey(row));
  if (row.madeOf === importedInitialState) {
    // The nodes of the other cluster are no simulated ones.
    const [{ bytes }, origin] = [
      await loadSource(controlApi, initialStateKey(row)),
      await controlApi.cluster(row.id).origin(),
    ];
    return { bytes, nodes: origin?.nodes ?? row.nodes };
  }
  if (isTemplateId(row.madeOf)) return loadSource(controlApi, fileKey({ tenantId: row.tenantId, id: row.madeOf }));
  if (row.madeOf !== unstoredState) return ofState(await stateOfSnapshot(controlApi, row.tenantId, row.madeOf));
  throw initialStateGone();
}

/** Loads the file that the sandbox was created from. A template's file may have been deleted with its version. */
async function loadSource({ files, secret }: ControlApiServer, key: string): Promise<InitialState> {
  const bytes = await files.get(key);
  if (!bytes) throw initialStateGone();
  return ofState(await verifiedState(secret, bytes));
}

function ofState(state: State): InitialState {
  return { bytes: state.bytes, nodes: nodesOf(state) };
}

function initialStateGone(): ControlError {
  const message = "the initial state of the sandbox is not kept any more: restore a snapshot or a revision";
  return new ControlError(409, "no_beginning", message);
}

/** Creates a temporary cluster from the same source to obtain its state. After an interruption, the temporary cluster expires. */
async function rebuildState(
  controlApi: ControlApiServer,
  { id, nodes: storedNodes }: SandboxRow,
): Promise<InitialState> {
  const origin = await controlApi.cluster(id).origin();
  if (!origin) throw expiredError();
  const { nodes = storedNodes, ...content } = origin;
  // The temporary cluster reports to no tenant, so that it is not counted and sends no events.
  const { reportsTo: _, ...initialSettings } = origin.settings;
  const settings = { ...initialSettings, expiresAtMs: controlApi.nowMs() + limits.sandboxMakingMs };
  const cluster = controlApi.cluster(await controlApi.newSandboxId(settings));
  try {
    const initialized = await cluster.initialize({
      ...content,
      settings,
      nodes,
      // Nobody gets the token.
      adminTokenHash: await hashOf(randomText(adminTokenCharacters)),
    });
    if (!initialized.ok) throw new Error(`the origin of the sandbox is refused: ${initialized.message}`);
    const saved = await cluster.saveState({});
    if (!saved.ok) throw refusalError(saved);
    return { bytes: saved.file, nodes };
  } finally {
    await cluster.destroy();
  }
}
