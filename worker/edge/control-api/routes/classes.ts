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
} from "../../../../shared/contract/hosted/class.ts";
import { json, nothing } from "../answers.ts";
import { deleteClass, join, listClasses, lookAt, makeClass } from "../learn/classes.ts";
import { route } from "../route.ts";

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
    summary: "Lists the classes of a lesson with their links, the newest first.",
    access: { kind: "scope", scope: "lessons:write" },
    answer: { status: 200, json: lessonClassList },
    handle: async ({ controlApi, tenantId, path: { name = "" } }) =>
      json(await listClasses(controlApi, tenantId, name)),
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
      ...(["expired", "class_full", "name_taken", "busy", "limit_reached", "beyond_plan"] as const),
      ...(["too_many_runs", "too_many_tokens", "invalid_manifests", "limit_exceeded", "too_large"] as const),
      ...(["damaged", "foreign_state", "newer"] as const),
    ],
    handle: async ({ controlApi, body }) => json(await join(controlApi, body), 201),
  }),
];
