// The access of a sandbox's page to its cluster.
import type { ShownSandbox } from "../../shared/contract/sandbox.ts";
import type { ClusterAccess } from "../api/cluster.ts";
import { type Control } from "../api/control.ts";
import { ControlFailure } from "../api/control-failure.ts";
import { adminTokens, viewTokens } from "../api/own-view.ts";
import { newConnectionGate } from "../live/ended.ts";
import { ListRefused } from "../live/informer.ts";
import type { Place } from "../live/place.ts";
import { messages } from "../messages.ts";

/**
 * Returns access with the administrator's token if the user may have it, otherwise with a read-only token. While the page shows a past
 * moment, nothing may be written. A lost connection is reopened only if the control API still finds the sandbox.
 */
export function sandboxAccess(control: Control, { id, token }: ShownSandbox, place: Place): ClusterAccess {
  const moment = () => place.get("at");
  const gate = newConnectionGate(async () => {
    const sandbox = await control.find(id).catch(refuse);
    if (!sandbox) throw new ListRefused(410, messages.ended.gone);
  });
  if (token === undefined) return { id, gate, moment, mayWrite: false, tokenSource: viewTokens(control, id) };
  return {
    id,
    gate,
    moment,
    tokenSource: adminTokens(control, id, token),
    get mayWrite() {
      return moment() === "";
    },
  };
}

function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}
