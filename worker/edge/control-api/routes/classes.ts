// Routes of classes: for teachers, and for learners with a link.
import { type ErrorCode, serviceFailures } from "../../../../shared/contract/error.ts";
import {
  classLook,
  createClass,
  joinClass,
  joined,
  lessonClass,
  lessonClassList,
  lookAtClass,
  patchClass,
  reserveSeats,
  seatList,
} from "../../../../shared/contract/hosted/class.ts";
import { json, nothing } from "../answers.ts";
import {
  changeClass,
  type ClassPlace,
  deleteClass,
  getClass,
  listClasses,
  listSeats,
  makeClass,
  reserve,
} from "../learn/classes.ts";
import { join, lookAt } from "../learn/join.ts";
import { type RouteCall, route } from "../route.ts";

const ofLink: readonly ErrorCode[] = ["too_many_failures", "not_found", "suspended", ...serviceFailures];

export const classRoutes = [
  route({
    method: "POST",
    path: "/v1/lessons/{name}/classes",
    id: "createClass",
    summary:
      "Creates a link by which a class joins a lesson: each learner takes a seat under a name, until the link expires.",
    access: { kind: "scope", scope: "lessons:write" },
    body: createClass,
    answer: { status: 201, json: lessonClass },
    errors: ["too_many_classes"],
    handle: async ({ controlApi, tenantId, body, path: { name = "" } }) =>
      json(await makeClass(controlApi, tenantId, name, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/classes",
    id: "listClasses",
    list: { items: "classes", id: ["id"], sort: ["createdAt", "title"], filter: ["title"] },
    summary: "Lists the classes of a lesson with their links, the newest first.",
    access: { kind: "scope", scope: "lessons:write" },
    answer: { status: 200, json: lessonClassList },
    handle: async ({ controlApi, tenantId, path: { name = "" } }) =>
      json(await listClasses(controlApi, tenantId, name)),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/classes/{class}",
    id: "getClass",
    version: { apart: ["taken"] },
    summary: "Returns a class with its link.",
    access: { kind: "scope", scope: "lessons:write" },
    answer: { status: 200, json: lessonClass },
    handle: async (call) => json(await getClass(call.controlApi, placeOf(call))),
  }),
  route({
    method: "PATCH",
    path: "/v1/lessons/{name}/classes/{class}",
    id: "patchClass",
    summary:
      "Changes the title, the seats, the deadline or the way into a class. A deadline moves the end of its live runs.",
    access: { kind: "scope", scope: "lessons:write" },
    body: patchClass,
    answer: { status: 200, json: lessonClass },
    handle: async (call) => json(await changeClass(call.controlApi, placeOf(call), call.body)),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/classes/{class}/seats",
    id: "listSeats",
    list: { items: "seats", id: ["id"], sort: ["name", "email"], filter: ["email"] },
    summary: "Lists the seats of a class, each with its own link, which authenticates its learner.",
    access: { kind: "scope", scope: "lessons:write" },
    answer: { status: 200, json: seatList },
    handle: async (call) => json(await listSeats(call.controlApi, placeOf(call))),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/classes/{class}/seats",
    id: "reserveSeats",
    summary: "Reserves seats for a list of e-mail addresses. Returns all seats, each with its own link.",
    access: { kind: "scope", scope: "lessons:write" },
    body: reserveSeats,
    answer: { status: 201, json: seatList },
    errors: ["class_full"],
    handle: async (call) => json(await reserve(call.controlApi, placeOf(call), call.body), 201),
  }),
  route({
    method: "DELETE",
    path: "/v1/lessons/{name}/classes/{class}",
    id: "deleteClass",
    summary: "Revokes a class's link at once. Runs of its learners continue until they expire.",
    access: { kind: "scope", scope: "lessons:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { name = "", class: id = "" } }) => {
      await deleteClass(controlApi, tenantId, name, id);
      return nothing();
    },
  }),
  route({
    method: "POST",
    path: "/v1/classes/look",
    id: "lookAtClass",
    access: { kind: "public" },
    summary: "Describes the class of a link, and returns the name by which this browser's learner has joined.",
    body: lookAtClass,
    answer: { status: 200, json: classLook },
    errors: ofLink,
    handle: async ({ controlApi, body }) => json(await lookAt(controlApi, body)),
  }),
  route({
    method: "POST",
    path: "/v1/classes/join",
    id: "joinClass",
    access: { kind: "public" },
    summary:
      "Takes a seat of a class under a name, or returns to it. Returns the link of the learner's page, whose run is created if necessary.",
    body: joinClass,
    answer: { status: 201, json: joined },
    errors: [
      ...ofLink,
      ...([
        "paused",
        "not_invited",
        "expired",
        "class_full",
        "name_taken",
        "busy",
        "limit_reached",
        "beyond_plan",
      ] as const),
      ...(["too_many_runs", "too_many_tokens", "invalid_manifests", "limit_exceeded", "too_large"] as const),
      ...(["damaged", "foreign_state", "newer"] as const),
    ],
    handle: async ({ controlApi, body }) => json(await join(controlApi, body), 201),
  }),
];

function placeOf({
  tenantId,
  path: { name = "", class: id = "" },
}: Pick<RouteCall<unknown, unknown>, "tenantId" | "path">): ClassPlace {
  return { tenantId, lesson: name, id };
}
