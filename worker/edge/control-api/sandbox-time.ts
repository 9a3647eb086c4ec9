// What is asked of a sandbox about its time axis.
import type { ChangedClock, ClockFacts, PatchClock } from "../../../shared/contract/clock.ts";
import { audited } from "./access/audit.ts";
import { ControlError } from "./control-error.ts";
import { livingRow } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { refusalError } from "./states.ts";

export async function clockOf(controlApi: ControlApiServer, tenantId: string, id: string): Promise<ClockFacts> {
  await livingRow(controlApi, tenantId, id);
  const facts = await controlApi.cluster(id).getClock();
  if (!facts) throw expired();
  return facts;
}

export async function changeClock(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  change: PatchClock,
): Promise<ChangedClock> {
  await livingRow(controlApi, tenantId, id);
  return audited(controlApi, id, async () => {
    const done = await controlApi.cluster(id).setClock(change);
    if (!done.ok) throw refusalError(done, done.field);
    const { ok: _, ...changed } = done;
    return changed;
  });
}

function expired(): ControlError {
  return new ControlError(410, "expired", "the sandbox has expired");
}
