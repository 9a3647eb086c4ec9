// The routes of a sandbox's time axis: its clock, and what happened in it.
import { changedClock, clock, patchClock } from "../../../../shared/contract/clock.ts";
import { json } from "../answers.ts";
import { route } from "../route.ts";
import { changeClock, clockOf } from "../sandbox-time.ts";

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
