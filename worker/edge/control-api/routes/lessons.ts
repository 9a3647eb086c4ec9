// Routes of lessons, their runs and results.
import * as z from "zod";
import { must } from "../../../../shared/base/assert.ts";
import type { ErrorCode } from "../../../../shared/contract/error.ts";
import {
  answerStep,
  checkOwnStep,
  checkStep,
  createLesson,
  createRun,
  examAction,
  lessonInfo,
  lessonList,
  lessonQuery,
  lessonVersionList,
  lessonWithDocument,
  linkRun as linkRunBody,
  resetRun as resetRunBody,
  emptyBody,
  ownAccess,
  resultList,
  resultsQuery,
  run,
  runLink,
  runQuery,
  runWithTokens,
  skipToStep,
} from "../../../../shared/contract/lesson.ts";
import { consentToHelp, recordCommands, takeHelpLines } from "../../../../shared/contract/hosted/teaching.ts";
import { clustersOf } from "../../../../shared/lesson/lesson.ts";
import { json, nothing, text } from "../answers.ts";
import { requireScope } from "../access/caller.ts";
import { showSolution, takeHint } from "../learn/hints.ts";
import { recheckRun } from "../learn/recheck.ts";
import type { RunPlace } from "../learn/run-place.ts";
import {
  accessOf,
  actInExam,
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
import { deleteLesson, getLesson, listLessons, listVersions, publishLesson } from "../lessons.ts";
import { consent, takeLines } from "../learn/helping.ts";
import { record } from "../learn/recording.ts";
import { resultsCsv } from "../results-csv.ts";
import { resultsXapi } from "../learn/results-xapi.ts";
import { type RouteCall, route } from "../route.ts";

/** The statements of `format=xapi`, as a learning record store takes them. */
const xapiStatements = z.array(z.looseObject({ id: z.string() }));
const csv = "text/csv; charset=UTF-8";

/** Error codes of routes that restore a sandbox. */
const restoreErrors = [
  "paused",
  ...(["revision_gone", "revision_unknown", "limit_exceeded", "busy", "no_beginning", "too_large"] as const),
  ...(["foreign_state", "damaged", "newer", "invalid_manifests", "solution_refused"] as const),
] satisfies readonly ErrorCode[];

const documentRoutes = [
  route({
    method: "POST",
    path: "/v1/lessons",
    id: "publishLesson",
    summary:
      "Publishes a lesson, or its next version, after checking its expressions. If nothing changed, returns the newest version.",
    access: { kind: "scope", scope: "lessons:write" },
    body: createLesson,
    answer: { status: 201, json: lessonInfo },
    errors: ["too_many_lessons", "too_large", "busy"],
    handle: async ({ controlApi, caller, tenantId, body }) => {
      // A run reveals the content of its template.
      if (clustersOf(body).some(({ template }) => template !== undefined)) requireScope(caller, "templates:read");
      return json(await publishLesson(controlApi, tenantId, body), 201);
    },
  }),
  route({
    method: "GET",
    path: "/v1/lessons",
    id: "listLessons",
    list: { items: "lessons", id: ["name"], sort: ["createdAt", "name"], filter: ["name"] },
    summary: "Lists the newest version of each lesson by name.",
    access: { kind: "scope", scope: "lessons:read" },
    answer: { status: 200, json: lessonList },
    handle: async ({ controlApi, tenantId }) => json(await listLessons(controlApi, tenantId)),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}",
    id: "getLesson",
    version: { apart: [] },
    summary: "Returns a lesson with its checks and solutions.",
    access: { kind: "scope", scope: "lessons:read" },
    query: lessonQuery,
    answer: { status: 200, json: lessonWithDocument },
    handle: async ({ controlApi, tenantId, query, path: { name = "" } }) =>
      json(await getLesson(controlApi, tenantId, name, query.version)),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/versions",
    id: "listLessonVersions",
    list: { items: "versions", id: ["version"], sort: ["createdAt"], filter: [] },
    summary: "Lists the versions of a lesson, the newest first.",
    access: { kind: "scope", scope: "lessons:read" },
    answer: { status: 200, json: lessonVersionList },
    handle: async ({ controlApi, tenantId, path: { name = "" } }) =>
      json(await listVersions(controlApi, tenantId, name)),
  }),
  route({
    method: "DELETE",
    path: "/v1/lessons/{name}",
    id: "deleteLesson",
    summary:
      "Deletes all versions of a lesson and the results of its runs. Their sandboxes continue until they expire.",
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
    summary: "Lists the scores of learners as JSON, CSV or xAPI statements, the newest run first, in pages.",
    access: { kind: "scope", scope: "lessons:read" },
    query: resultsQuery,
    answer: { status: 200, json: z.union([resultList, xapiStatements]), texts: [csv] },
    handle: results,
  }),
];

const runRoutes = [
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs",
    id: "startRun",
    summary:
      "Creates a sandbox for a learner, with the lesson's objects, a token for each of its users and the learner's page. With `resume`, returns the learner's live run.",
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
    version: { apart: [] },
    summary: "Returns the current step of a learner, and the score of each step.",
    access: { kind: "scope", scope: "lessons:read" },
    query: runQuery,
    answer: { status: 200, json: run },
    handle: async (call) => json(await getRun(call.controlApi, placeOf(call), call.query.step)),
  }),
  route({
    method: "DELETE",
    path: "/v1/lessons/{name}/runs/{run}",
    id: "deleteRun",
    summary: "Deletes a run with its sandbox and its scores.",
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
    summary:
      "Creates a link to the learner's page. The link needs no sign-in. Pages of the given origins may frame it.",
    access: { kind: "scope", scope: "lessons:write" },
    body: linkRunBody,
    answer: { status: 200, json: runLink },
    handle: async (call) => json(await linkRun(call.controlApi, placeOf(call), call.body.frameOrigins)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/check",
    id: "checkRun",
    summary:
      "Grades the learner's current step. If all its checks pass, the next step begins. Of an exam, grades every task as it is, and stores nothing.",
    access: { kind: "scope", scope: "lessons:write" },
    body: checkStep,
    answer: { status: 200, json: run },
    errors: ["busy", "too_many_tokens", "paused"],
    handle: async (call) => json(await checkRun(call.controlApi, placeOf(call), call.body, true)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/answer",
    id: "answerRun",
    summary: "Stores the learner's answer to the question of the current step.",
    access: { kind: "scope", scope: "lessons:write" },
    body: answerStep,
    answer: { status: 200, json: run },
    errors: ["busy", "paused"],
    handle: async (call) => json(await answerRun(call.controlApi, placeOf(call), call.body.answer)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/restart",
    id: "restartStep",
    summary: "Restores the sandbox to its state at the start of the step.",
    access: { kind: "scope", scope: "lessons:write" },
    body: emptyBody,
    answer: { status: 200, json: run },
    errors: restoreErrors,
    handle: async (call) => json(await restartStep(call.controlApi, placeOf(call))),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/reset",
    id: "resetRun",
    summary:
      "Restarts a run: restores the sandbox's initial state and deletes the scores. With `step`, goes back to the beginning of that step.",
    access: { kind: "scope", scope: "lessons:write" },
    body: resetRunBody,
    answer: { status: 200, json: run },
    errors: restoreErrors,
    handle: async (call) => json(await resetRun(call.controlApi, placeOf(call), call.body.step)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/skip",
    id: "skipToStep",
    summary:
      "Applies the solutions of the steps before the given one, and continues there. Skipped steps score no points.",
    access: { kind: "scope", scope: "lessons:write" },
    body: skipToStep,
    answer: { status: 200, json: run },
    errors: ["solution_refused", "limit_exceeded", "busy", "paused"],
    handle: async (call) => json(await skipTo(call.controlApi, placeOf(call), call.body.step)),
  }),
];

/** Routes of the learner's page. */
const learnerRoutes = [
  route({
    method: "GET",
    path: "/v1/learn",
    id: "getOwnRun",
    summary: "Returns the learner's own run: the current step, and the score of each step.",
    access: { kind: "learner" },
    query: runQuery,
    answer: { status: 200, json: run },
    handle: async (call) => json(await getRun(call.controlApi, ownPlace(call), call.query.step)),
  }),
  route({
    method: "GET",
    path: "/v1/learn/access",
    id: "getOwnAccess",
    summary: "Returns the learner's access to the sandbox: a token for each of the lesson's users.",
    access: { kind: "learner" },
    answer: { status: 200, json: ownAccess },
    errors: ["expired"],
    handle: async (call) => json(await accessOf(call.controlApi, ownPlace(call))),
  }),
  route({
    method: "POST",
    path: "/v1/learn/check",
    id: "checkOwnStep",
    summary: "Grades the learner's current step, with the answer to its question.",
    access: { kind: "learner" },
    body: checkOwnStep,
    answer: { status: 200, json: run },
    errors: ["busy", "expired", "too_soon", "paused"],
    handle: async (call) => {
      const { unlessRevision, ...answers } = call.body;
      // Gradings because of a change are no actions of the learner, and the cluster keeps them apart.
      if (unlessRevision !== undefined) return json(await recheckRun(call.controlApi, ownPlace(call), unlessRevision));
      return json(await checkRun(call.controlApi, await ownPlaceAfterPause(call), answers));
    },
  }),
  route({
    method: "POST",
    path: "/v1/learn/hint",
    id: "takeOwnHint",
    summary: "Returns the next hint of the step. Its price is subtracted from the step's points.",
    access: { kind: "learner" },
    body: emptyBody,
    answer: { status: 200, json: run },
    errors: ["busy", "expired", "too_soon", "paused"],
    handle: async (call) => json(await takeHint(call.controlApi, await ownPlaceAfterPause(call))),
  }),
  route({
    method: "POST",
    path: "/v1/learn/solution",
    id: "showOwnSolution",
    summary: "Returns the solution of the step after the lesson's number of tries. The step earns no further points.",
    access: { kind: "learner" },
    body: emptyBody,
    answer: { status: 200, json: run },
    errors: ["busy", "expired", "too_soon", "paused", "solution_not_due"],
    handle: async (call) => json(await showSolution(call.controlApi, await ownPlaceAfterPause(call))),
  }),
  route({
    method: "POST",
    path: "/v1/learn/commands",
    id: "recordOwnCommands",
    summary: "Records lines of the learner's terminal with their times, for the teacher.",
    access: { kind: "learner" },
    body: recordCommands,
    answer: { status: 204 },
    handle: async (call) => {
      await record(call.controlApi, ownPlace(call), call.body);
      return nothing();
    },
  }),
  route({
    method: "POST",
    path: "/v1/learn/help",
    id: "consentToHelp",
    summary: "Allows the teacher to run lines in one of the learner's terminals, or ends it.",
    access: { kind: "learner" },
    body: consentToHelp,
    answer: { status: 200, json: run },
    errors: ["expired", "paused", "consent_missing", "busy"],
    handle: async (call) => json(await consent(call.controlApi, ownPlace(call), call.body)),
  }),
  route({
    method: "POST",
    path: "/v1/learn/help/lines",
    id: "takeHelpLines",
    summary: "Takes the teacher's lines up to a number for the terminal that has the consent, which runs them next.",
    access: { kind: "learner" },
    body: takeHelpLines,
    answer: { status: 200, json: run },
    errors: ["expired", "paused", "consent_missing", "busy"],
    handle: async (call) => json(await takeLines(call.controlApi, ownPlace(call), call.body)),
  }),
  route({
    method: "POST",
    path: "/v1/learn/exam",
    id: "actInOwnExam",
    summary: "Shows a task of the learner's exam, flags one, or ends the exam, which grades all tasks.",
    access: { kind: "learner" },
    body: examAction,
    answer: { status: 200, json: run },
    errors: ["busy", "expired", "too_soon"],
    handle: async (call) => json(await actInExam(call.controlApi, ownPlace(call), call.body)),
  }),
  route({
    method: "POST",
    path: "/v1/learn/restart",
    id: "restartOwnStep",
    summary: "Restores the sandbox to its state at the start of the step.",
    access: { kind: "learner" },
    body: emptyBody,
    answer: { status: 200, json: run },
    errors: [...restoreErrors, "expired", "too_soon"],
    handle: async (call) => json(await restartStep(call.controlApi, await ownPlaceAfterPause(call))),
  }),
  route({
    method: "POST",
    path: "/v1/learn/skip",
    id: "skipOwnSteps",
    summary: "Continues at a later step. The solutions of skipped steps are applied, and those steps score no points.",
    access: { kind: "learner" },
    body: skipToStep,
    answer: { status: 200, json: run },
    errors: ["solution_refused", "limit_exceeded", "busy", "expired", "too_soon", "paused"],
    handle: async (call) => json(await skipTo(call.controlApi, await ownPlaceAfterPause(call), call.body.step, true)),
  }),
];

export const lessonRoutes = [...documentRoutes, ...runRoutes, ...learnerRoutes];

function ownPlace({ caller }: Pick<RouteCall<unknown, unknown>, "caller">): RunPlace {
  return must(caller.run, "the learner's run");
}

/** Returns the learner's run. Throws 429 if the previous action was less than the minimum pause ago. */
async function ownPlaceAfterPause(call: Pick<RouteCall<unknown, unknown>, "caller" | "controlApi">): Promise<RunPlace> {
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
  const format = query.format ?? (/text\/csv/i.test(headers.get("accept") ?? "") ? "csv" : "json");
  if (format === "json") return json(page);
  const classes = new Map(
    (await controlApi.classes.list(tenantId, path["name"] ?? "")).map(({ id, title }) => [id, title]),
  );
  const answer =
    format === "xapi"
      ? json(await resultsXapi(page.results, controlApi.console))
      : text(resultsCsv(page.results, steps, classes), csv);
  if (page.nextCursor !== undefined) answer.headers.set("sandbar-next-cursor", page.nextCursor);
  return answer;
}
