// A sandbox is set back, in place, to what it was made of.
import { limits } from "../../../shared/base/limits.ts";
import type { SandboxRow } from "../db/schema.ts";
import { beginningKey, fileKey, keptBeginning } from "../files.ts";
import { hashOf, randomText } from "../mac.ts";
import { newSandboxId } from "../sandbox-id.ts";
import { audited } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import { goneError, livingRow, requireRoom } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { stateOfSnapshot } from "./snapshots.ts";
import { refusalError, verifiedState } from "./states.ts";
import { isTemplateId } from "./templates/name.ts";

/** `madeOf` of older sandboxes that began with a state: nothing is kept of it. */
const unkeptState = "state";

/** Returns the revision that it has then. */
export async function resetSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  /** Runs when the file is there, right before the cluster is set back. */
  before: (row: SandboxRow) => Promise<unknown> = async () => undefined,
): Promise<{ revision: number }> {
  const row = await livingRow(controlApi, tenantId, id);
  await requireRoom(controlApi);
  return audited(controlApi, id, async () => {
    const file = await beginningOf(controlApi, row);
    await before(row);
    const done = await controlApi.cluster(id).restoreState({ file });
    if (!done.ok) throw refusalError(done);
    return { revision: done.revision };
  });
}

async function beginningOf(controlApi: ControlApiServer, row: SandboxRow): Promise<Uint8Array> {
  if (row.madeOf === "") return madeAnew(controlApi, row);
  if (row.madeOf === keptBeginning) return keptFile(controlApi, beginningKey(row));
  if (isTemplateId(row.madeOf)) return keptFile(controlApi, fileKey({ tenantId: row.tenantId, id: row.madeOf }));
  if (row.madeOf !== unkeptState) return (await stateOfSnapshot(controlApi, row.tenantId, row.madeOf)).bytes;
  throw noBeginning();
}

/** What it began with; a template's file may have gone with its version. */
async function keptFile({ files, secret }: ControlApiServer, key: string): Promise<Uint8Array> {
  const bytes = await files.get(key);
  if (!bytes) throw noBeginning();
  return (await verifiedState(secret, bytes)).bytes;
}

function noBeginning(): ControlError {
  const message = "what the sandbox began with is not kept any more: restore a snapshot or a revision";
  return new ControlError(409, "no_beginning", message);
}

/** Another cluster is made of the same for as long as its state is had; what is left of it after a cut ends by itself. */
async function madeAnew(controlApi: ControlApiServer, { id, nodes }: SandboxRow): Promise<Uint8Array> {
  const origin = await controlApi.cluster(id).origin();
  if (!origin) throw goneError();
  const { reportsTo: _, ...own } = origin.settings;
  const settings = { ...own, expiresAtMs: controlApi.nowMs() + limits.sandboxMakingMs };
  const cluster = controlApi.cluster(await newSandboxId(controlApi.secret, settings));
  try {
    const made = await cluster.initialize({
      ...origin,
      settings,
      nodes,
      adminTokenHash: await hashOf(randomText(51)),
    });
    if (!made.ok) throw new Error(`what the sandbox was made of is refused: ${made.message}`);
    const saved = await cluster.saveState({});
    if (!saved.ok) throw refusalError(saved);
    return saved.file;
  } finally {
    await cluster.destroy();
  }
}
