// A sandbox is set back, in place, to what it was made of.
import { limits } from "../../../shared/base/limits.ts";
import type { SandboxRow } from "../db/schema.ts";
import { hashOf, randomText } from "../mac.ts";
import { newSandboxId } from "../sandbox-id.ts";
import { audited } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import { goneError, livingRow, requireRoom } from "./sandboxes.ts";
import type { ControlApiServer } from "./service.ts";
import { stateOfSnapshot } from "./snapshots.ts";
import { refusalError } from "./states.ts";

/** `madeOf` of a sandbox that began with a state that nothing is kept of. */
export const unkeptState = "state";

/** Returns the revision that it has then. */
export async function resetSandbox(
  service: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<{ revision: number }> {
  const row = await livingRow(service, tenantId, id);
  await requireRoom(service);
  return audited(service, id, async () => {
    const done = await service.cluster(id).restoreState({ file: await beginningOf(service, row) });
    if (!done.ok) throw refusalError(done);
    return { revision: done.revision };
  });
}

async function beginningOf(service: ControlApiServer, row: SandboxRow): Promise<Uint8Array> {
  if (row.madeOf === "") return madeAnew(service, row);
  if (row.madeOf !== unkeptState) return (await stateOfSnapshot(service, row.tenantId, row.madeOf)).bytes;
  const message = "the sandbox began with a state that was not kept: restore a snapshot or a revision";
  throw new ControlError(409, "no_beginning", message);
}

/** Another cluster is made of the same for as long as its state is had; what is left of it after a cut ends by itself. */
async function madeAnew(service: ControlApiServer, { id, nodes }: SandboxRow): Promise<Uint8Array> {
  const origin = await service.cluster(id).origin();
  if (!origin) throw goneError();
  const settings = { ...origin.settings, expiresAtMs: service.nowMs() + limits.sandboxMakingMs };
  const cluster = service.cluster(await newSandboxId(service.secret, settings));
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
