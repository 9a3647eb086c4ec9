// Routes of lessons, their runs and results.
import { must } from "../../../../shared/base/assert.ts";
import type { ErrorCode } from "../../../../shared/contract/error.ts";
import {
  answerStep,
  checkOwnStep,
  checkStep,
  createLesson,
  createRun,
  lessonInfo,
  lessonList,
  lessonQuery,
  lessonWithDocument,
  linkRun as linkRunBody,
  nothingMore,
  ownAccess,
  resultList,
  resultsQuery,
  run,
  runLink,
  runQuery,
  runWithTokens,
  skipToStep,
} from "../../../../shared/contract/lesson.ts";
import { json, nothing, text } from "../answers.ts";
import { requireScope } from "../access/caller.ts";
import type { RunPlace } from "../learn/run-place.ts";
import {
  accessOf,
  answerRun,
  checkRun,
  deleteRun,
  getRun,
  linkRun,
  listResults,
  requirePause,
  resetRun,
  restartStep,
  skipTo,
  startRun,
} from "../lesson-runs.ts";
import { deleteLesson, getLesson, listLessons, publishLesson } from "../lessons.ts";
import { resultsCsv } from "../results-csv.ts";
import { type RouteCall, route } from "../route.ts";

const csv = "text/csv; charset=UTF-8";

/** Error codes of routes that restore a sandbox. */
const restoring = [
  ...(["revision_gone", "revision_unknown", "limit_exceeded", "busy", "no_beginning", "too_large"] as const),
  ...(["foreign_state", "damaged", "newer", "invalid_manifests", "solution_refused"] as const),
] satisfies readonly ErrorCode[];

const lessonsThemselves = [
  route({
    method: "POST",
    path: "/v1/lessons",
    id: "publishLesson",
    summary:
      "Keeps a lesson, or its next version: its expressions are checked. What is the same as the newest version is that one.",
    access: { kind: "scope", scope: "lessons:write" },
    body: createLesson,
    answer: { status: 201, json: lessonInfo },
    errors: ["too_many_lessons", "too_large", "busy"],
    handle: async ({ controlApi, caller, tenantId, body }) => {
      // A run reveals the content of its template.
      if (body.template !== undefined) requireScope(caller, "templates:read");
      return json(await publishLesson(controlApi, tenantId, body), 201);
    },
  }),
  route({
    method: "GET",
    path: "/v1/lessons",
    id: "listLessons",
    summary: "The newest version of each lesson, by name.",
    access: { kind: "scope", scope: "lessons:read" },
    answer: { status: 200, json: lessonList },
    handle: async ({ controlApi, tenantId }) => json(await listLessons(controlApi, tenantId)),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}",
    id: "getLesson",
    summary: "A lesson with its checks and solutions.",
    access: { kind: "scope", scope: "lessons:read" },
    query: lessonQuery,
    answer: { status: 200, json: lessonWithDocument },
    handle: async ({ controlApi, tenantId, query, path: { name = "" } }) =>
      json(await getLesson(controlApi, tenantId, name, query.version)),
  }),
  route({
    method: "DELETE",
    path: "/v1/lessons/{name}",
    id: "deleteLesson",
    summary: "Deletes all versions of a lesson and the results of its runs; their sandboxes live to their end.",
    access: { kind: "scope", scope: "lessons:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { name = "" } }) => {
      await deleteLesson(controlApi, tenantId, name);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/results",
    id: "listResults",
    summary: "What learners have scored: the newest run first, a page at a time; as CSV, too.",
    access: { kind: "scope", scope: "lessons:read" },
    query: resultsQuery,
    answer: { status: 200, json: resultList, texts: [csv] },
    handle: results,
  }),
];

const theirRuns = [
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs",
    id: "startRun",
    summary:
      "Makes a sandbox for a learner, with the lesson's objects, a token for each of its users and a page of their own; or finds the one they have.",
    access: { kind: "scope", scope: "lessons:write" },
    body: createRun,
    answer: { status: 201, json: runWithTokens },
    errors: [
      ...(["too_many_runs", "invalid_manifests", "too_many_tokens", "limit_reached", "beyond_plan"] as const),
      ...(["limit_exceeded", "busy", "too_large", "damaged", "foreign_state", "newer"] as const),
    ],
    handle: async ({ controlApi, tenantId, body, path: { name = "" } }) =>
      json(await startRun(controlApi, tenantId, name, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/runs/{run}",
    id: "getRun",
    summary: "Where a learner is, and what each step has scored.",
    access: { kind: "scope", scope: "lessons:read" },
    query: runQuery,
    answer: { status: 200, json: run },
    handle: async (call) => json(await getRun(call.controlApi, placeOf(call), call.query.step)),
  }),
  route({
    method: "DELETE",
    path: "/v1/lessons/{name}/runs/{run}",
    id: "deleteRun",
    summary: "Deletes a run with its sandbox and what it has scored.",
    access: { kind: "scope", scope: "lessons:write" },
    answer: { status: 204 },
    handle: async (call) => {
      await deleteRun(call.controlApi, placeOf(call));
      return nothing();
    },
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/link",
    id: "linkRun",
    summary: "The learner's page, as an address that lets in whoever has it; frames of these origins may show it.",
    access: { kind: "scope", scope: "lessons:write" },
    body: linkRunBody,
    answer: { status: 200, json: runLink },
    handle: async (call) => json(await linkRun(call.controlApi, placeOf(call), call.body.frameOrigins)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/check",
    id: "checkRun",
    summary: "Grades the step that the learner is at. Where all its checks hold, the next begins.",
    access: { kind: "scope", scope: "lessons:write" },
    body: checkStep,
    answer: { status: 200, json: run },
    errors: ["busy", "too_many_tokens"],
    handle: async (call) => json(await checkRun(call.controlApi, placeOf(call), call.body)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/answer",
    id: "answerRun",
    summary: "Keeps the learner's answer to the question of the step.",
    access: { kind: "scope", scope: "lessons:write" },
    body: answerStep,
    answer: { status: 200, json: run },
    errors: ["busy"],
    handle: async (call) => json(await answerRun(call.controlApi, placeOf(call), call.body.answer)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/restart",
    id: "restartStep",
    summary: "Sets the sandbox back to where the step began.",
    access: { kind: "scope", scope: "lessons:write" },
    body: nothingMore,
    answer: { status: 200, json: run },
    errors: restoring,
    handle: async (call) => json(await restartStep(call.controlApi, placeOf(call))),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/reset",
    id: "resetRun",
    summary: "Begins a run again: its sandbox is as it was at first, and what it scored is gone.",
    access: { kind: "scope", scope: "lessons:write" },
    body: nothingMore,
    answer: { status: 200, json: run },
    errors: restoring,
    handle: async (call) => json(await resetRun(call.controlApi, placeOf(call))),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/skip",
    id: "skipToStep",
    summary: "Does what solves the steps before one, and goes on there; skipped steps bring no points.",
    access: { kind: "scope", scope: "lessons:write" },
    body: skipToStep,
    answer: { status: 200, json: run },
    errors: ["solution_refused", "limit_exceeded", "busy"],
    handle: async (call) => json(await skipTo(call.controlApi, placeOf(call), call.body.step)),
  }),
];

/** Routes of the learner's page. */
const ofLearners = [
  route({
    method: "GET",
    path: "/v1/learn",
    id: "getOwnRun",
    summary: "The learner's own run: where they are, and what each step has scored.",
    access: { kind: "learner" },
    query: runQuery,
    answer: { status: 200, json: run },
    handle: async (call) => json(await getRun(call.controlApi, ownPlace(call), call.query.step)),
  }),
  route({
    method: "GET",
    path: "/v1/learn/access",
    id: "getOwnAccess",
    summary: "What the learner enters the sandbox with: a token of each of the lesson's users.",
    access: { kind: "learner" },
    answer: { status: 200, json: ownAccess },
    errors: ["expired"],
    handle: async (call) => json(await accessOf(call.controlApi, ownPlace(call))),
  }),
  route({
    method: "POST",
    path: "/v1/learn/check",
    id: "checkOwnStep",
    summary: "Grades the step that the learner is at, with the answer to its question.",
    access: { kind: "learner" },
    body: checkOwnStep,
    answer: { status: 200, json: run },
    errors: ["busy", "expired", "too_soon"],
    handle: async (call) => json(await checkRun(call.controlApi, await pausedPlace(call), call.body)),
  }),
  route({
    method: "POST",
    path: "/v1/learn/restart",
    id: "restartOwnStep",
    summary: "Sets the sandbox back to where the step began.",
    access: { kind: "learner" },
    body: nothingMore,
    answer: { status: 200, json: run },
    errors: [...restoring, "expired", "too_soon"],
    handle: async (call) => json(await restartStep(call.controlApi, await pausedPlace(call))),
  }),
  route({
    method: "POST",
    path: "/v1/learn/skip",
    id: "skipOwnSteps",
    summary: "Goes on at a later step: what solves those before it is done, and they bring no points.",
    access: { kind: "learner" },
    body: skipToStep,
    answer: { status: 200, json: run },
    errors: ["solution_refused", "limit_exceeded", "busy", "expired", "too_soon"],
    handle: async (call) => json(await skipTo(call.controlApi, await pausedPlace(call), call.body.step, true)),
  }),
];

export const lessonRoutes = [...lessonsThemselves, ...theirRuns, ...ofLearners];

function ownPlace({ caller }: Pick<RouteCall<unknown, unknown>, "caller">): RunPlace {
  return must(caller.run, "the learner's run");
}

async function pausedPlace(call: Pick<RouteCall<unknown, unknown>, "caller" | "controlApi">): Promise<RunPlace> {
  const place = ownPlace(call);
  await requirePause(call.controlApi, place);
  return place;
}

function placeOf({
  tenantId,
  path: { name = "", run: id = "" },
}: Pick<RouteCall<unknown, unknown>, "tenantId" | "path">): RunPlace {
  return { tenantId, lesson: name, run: id };
}

async function results(call: RouteCall<ReturnType<typeof resultsQuery.parse>, unknown>): Promise<Response> {
  const { controlApi, tenantId, query, path, headers } = call;
  const { steps, ...page } = await listResults(controlApi, tenantId, path["name"] ?? "", query);
  const wantsCsv = (query.format ?? (/text\/csv/i.test(headers.get("accept") ?? "") ? "csv" : "json")) === "csv";
  if (!wantsCsv) return json(page);
  const answer = text(resultsCsv(page.results, steps), csv);
  if (page.nextCursor !== undefined) answer.headers.set("sandbar-next-cursor", page.nextCursor);
  return answer;
}
