// The route of an organisation's event stream.
import { eventsQuery } from "../../../../shared/contract/hosted/webhook.ts";
import { followEvents } from "../tenancy/event-stream.ts";
import { eventStreamType } from "./past/followed-timeline.ts";
import { route } from "../route.ts";

export const eventRoutes = [
  route({
    method: "GET",
    path: "/v1/events",
    id: "followEvents",
    summary:
      "The events of the organisation's sandboxes as they happen, and of its lessons for whoever has `lessons:read`, as Server-Sent Events. With `Last-Event-ID` it continues after that event.",
    access: { kind: "scope", scope: "sandboxes:read" },
    query: eventsQuery,
    answer: { status: 200, texts: [eventStreamType] },
    errors: ["limit_exceeded"],
    handle: followEvents,
  }),
];
