// The routes of a sandbox's time axis: its clock, and what happened in it.
import {
  changedClock,
  type ChangedClock,
  clock,
  type ClockFacts,
  patchClock,
  type PatchClock,
} from "../../../../shared/contract/cluster/clock.ts";
import { json } from "../answers.ts";
import { audited } from "../access/audit.ts";
import { ControlError } from "../control-error.ts";
import { route } from "../route.ts";
import { livingRow } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError } from "../states.ts";

export const timeRoutes = [
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/clock",
    id: "getClock",
    summary: "The time in a sandbox, and how its clock runs.",
    scope: "sandboxes:read",
    answer: { status: 200, json: clock },
    errors: ["expired"],
    handle: async ({ controlApi, tenantId, path: { id = "" } }) => json(await clockOf(controlApi, tenantId, id)),
  }),
  route({
    method: "PATCH",
    path: "/v1/sandboxes/{id}/clock",
    id: "changeClock",
    summary: "Pauses a sandbox's clock, sets its speed or its time, or runs it forward as fast as can be.",
    scope: "sandboxes:write",
    body: patchClock,
    answer: { status: 200, json: changedClock },
    errors: ["expired", "busy", "revision_gone"],
    handle: async ({ controlApi, tenantId, body, path: { id = "" } }) =>
      json(await changeClock(controlApi, tenantId, id, body)),
  }),
];

async function clockOf(controlApi: ControlApiServer, tenantId: string, id: string): Promise<ClockFacts> {
  await livingRow(controlApi, tenantId, id);
  const facts = await controlApi.cluster(id).getClock();
  if (!facts) throw expired();
  return facts;
}

async function changeClock(
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
