// Routes of a sandbox's time axis: its clock and its timeline.
import {
  changedClock,
  type ChangedClock,
  clock,
  type ClockFacts,
  patchClock,
  type PatchClock,
} from "../../../../shared/contract/cluster/clock.ts";
import {
  timeline,
  timelineQuery,
  type TimelineQuery,
  why,
  whyQuery,
} from "../../../../shared/contract/cluster/past.ts";
import { recordingQuery } from "../../../../shared/contract/cluster/recording.ts";
import type { StateRefusal } from "../../../../shared/contract/cluster-state.ts";
import { timelineText } from "../../../../shared/state/timeline-text.ts";
import { whyText } from "../../../../shared/state/why-text.ts";
import { json, text } from "../answers.ts";
import { audited } from "../access/audit.ts";
import { ControlError } from "../control-error.ts";
import { eventStreamType, followTimeline, jsonLinesType, type StreamType, textType } from "./past/followed-timeline.ts";
import { recording, recordingType } from "./past/recording.ts";
import { route } from "../route.ts";
import { livingRow } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError } from "../states.ts";

const plain = textType;

export const timeRoutes = [
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/clock",
    id: "getClock",
    summary: "Returns the time in a sandbox, and the state of its clock.",
    access: { kind: "scope", scope: "sandboxes:read" },
    answer: { status: 200, json: clock },
    errors: ["expired"],
    handle: async ({ controlApi, tenantId, path: { id = "" } }) => json(await clockOf(controlApi, tenantId, id)),
  }),
  route({
    method: "PATCH",
    path: "/v1/sandboxes/{id}/clock",
    id: "changeClock",
    summary: "Pauses a sandbox's clock, sets its speed or its time, or runs it forward as fast as possible.",
    access: { kind: "scope", scope: "sandboxes:write" },
    body: patchClock,
    answer: { status: 200, json: changedClock },
    errors: ["expired", "busy", "revision_gone"],
    handle: async ({ controlApi, tenantId, body, path: { id = "" } }) =>
      json(await changeClock(controlApi, tenantId, id, body)),
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/timeline",
    id: "getTimeline",
    summary:
      "Explains the changes in a sandbox: each with its cause and everything that followed. As text it is a tree.",
    access: { kind: "scope", scope: "sandboxes:read" },
    query: timelineQuery,
    answer: { status: 200, json: timeline, texts: [plain, eventStreamType, jsonLinesType] },
    errors: ["expired", "revision_gone", "limit_exceeded"],
    handle: async ({ controlApi, tenantId, query, headers, signal, path: { id = "" } }) => {
      await livingRow(controlApi, tenantId, id);
      const type = followedType(query, headers);
      if (type) {
        const lastRevision = lastRevisionIn(headers);
        return followTimeline({ controlApi, id, query, type, lastRevision, signal });
      }
      const { ok: _, ...timeline } = unwrap(await controlApi.cluster(id).timeline(query));
      return wantsText(query, headers) ? text(timelineText(timeline.entries), plain) : json(timeline);
    },
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/recording",
    id: "recordSandbox",
    summary:
      "Returns the requests of a sandbox's users with their times, as lines of JSON that another sandbox can repeat.",
    access: { kind: "scope", scope: "sandboxes:connect" },
    query: recordingQuery,
    answer: { status: 200, texts: [recordingType] },
    errors: ["expired", "revision_gone"],
    handle: async ({ controlApi, tenantId, query, path: { id = "" } }) =>
      recording(controlApi, await livingRow(controlApi, tenantId, id), query),
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/why/{resource}/{name}",
    id: "getWhy",
    summary: "Explains what an object waits for: a sentence, and a tree of reasons with the commands that show them.",
    access: { kind: "scope", scope: "sandboxes:read" },
    query: whyQuery,
    answer: { status: 200, json: why, texts: [plain] },
    errors: ["expired"],
    handle: async ({ controlApi, tenantId, query, headers, path: { id = "", resource = "", name = "" } }) => {
      await livingRow(controlApi, tenantId, id);
      const question = { resource, name, namespace: query.namespace };
      const { ok: _, ...explanation } = unwrap(await controlApi.cluster(id).why(question));
      return wantsText(query, headers) ? text(whyText(explanation), plain) : json(explanation);
    },
  }),
];

function wantsText({ format }: { readonly format?: string | undefined }, headers: Headers): boolean {
  return format === "text" || (format === undefined && /^text\/plain/i.test(headers.get("accept") ?? ""));
}

/** Returns the type of a followed timeline; undefined if the client does not follow it. */
function followedType(query: TimelineQuery, headers: Headers): StreamType | undefined {
  const isEventStream = /text\/event-stream/i.test(headers.get("accept") ?? "") && query.format !== "text";
  if (!(query.follow ?? isEventStream)) return undefined;
  if (isEventStream) return eventStreamType;
  return wantsText(query, headers) ? textType : jsonLinesType;
}

/** Returns the revision that a reconnecting `EventSource` sends. */
function lastRevisionIn(headers: Headers): number | undefined {
  const id = headers.get("last-event-id") ?? "";
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

function unwrap<Success extends { readonly ok: true }>(result: Success | StateRefusal): Success {
  if (!result.ok) throw refusalError(result);
  return result;
}

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
