// The routes of lessons, of their runs and of what these have scored.
import {
  answerStep,
  checkStep,
  createLesson,
  createRun,
  lessonInfo,
  lessonList,
  lessonQuery,
  lessonWithDocument,
  nothingMore,
  resultList,
  resultsQuery,
  run,
  runWithTokens,
  skipToStep,
} from "../../../../shared/contract/lesson.ts";
import { json, nothing, text } from "../answers.ts";
import {
  answerRun,
  checkRun,
  getRun,
  listResults,
  restartStep,
  type RunPlace,
  skipTo,
  startRun,
} from "../lesson-runs.ts";
import { deleteLesson, getLesson, listLessons, publishLesson } from "../lessons.ts";
import { resultsCsv } from "../results-csv.ts";
import { type Call, route } from "../route.ts";

const csv = "text/csv; charset=UTF-8";

const lessonsThemselves = [
  route({
    method: "POST",
    path: "/v1/lessons",
    id: "publishLesson",
    summary:
      "Keeps a lesson, or its next version: its expressions are checked. What is the same as the newest version is that one.",
    scope: "lessons:write",
    body: createLesson,
    answer: { status: 201, json: lessonInfo },
    errors: ["too_many_lessons", "too_large", "busy"],
    handle: async ({ service, tenantId, body }) => json(await publishLesson(service, tenantId, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/lessons",
    id: "listLessons",
    summary: "The newest version of each lesson, by name.",
    scope: "lessons:read",
    answer: { status: 200, json: lessonList },
    handle: async ({ service, tenantId }) => json(await listLessons(service, tenantId)),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}",
    id: "getLesson",
    summary: "A lesson with its checks and solutions.",
    scope: "lessons:read",
    query: lessonQuery,
    answer: { status: 200, json: lessonWithDocument },
    handle: async ({ service, tenantId, query, path: { name = "" } }) =>
      json(await getLesson(service, tenantId, name, query.version)),
  }),
  route({
    method: "DELETE",
    path: "/v1/lessons/{name}",
    id: "deleteLesson",
    summary: "Deletes all versions of a lesson and the results of its runs; their sandboxes live to their end.",
    scope: "lessons:write",
    answer: { status: 204 },
    handle: async ({ service, tenantId, path: { name = "" } }) => {
      await deleteLesson(service, tenantId, name);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/results",
    id: "listResults",
    summary: "What learners have scored: the newest run first, a page at a time; as CSV, too.",
    scope: "lessons:read",
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
    summary: "Makes a sandbox for a learner, with the lesson's objects and a token for each of its users.",
    scope: "lessons:write",
    body: createRun,
    answer: { status: 201, json: runWithTokens },
    errors: ["too_many_runs", "invalid_manifests", "too_many_tokens"],
    handle: async ({ service, tenantId, body, path: { name = "" } }) =>
      json(await startRun(service, tenantId, name, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/runs/{run}",
    id: "getRun",
    summary: "Where a learner is, and what each step has scored.",
    scope: "lessons:read",
    answer: { status: 200, json: run },
    handle: async (call) => json(await getRun(call.service, placeOf(call))),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/check",
    id: "checkRun",
    summary: "Grades the step that the learner is at. Where all its checks hold, the next begins.",
    scope: "lessons:write",
    body: checkStep,
    answer: { status: 200, json: run },
    errors: ["busy"],
    handle: async (call) => json(await checkRun(call.service, placeOf(call), call.body.version)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/answer",
    id: "answerRun",
    summary: "Keeps the learner's answer to the question of the step.",
    scope: "lessons:write",
    body: answerStep,
    answer: { status: 200, json: run },
    errors: ["busy"],
    handle: async (call) => json(await answerRun(call.service, placeOf(call), call.body.answer)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/restart",
    id: "restartStep",
    summary: "Sets the sandbox back to where the step began.",
    scope: "lessons:write",
    body: nothingMore,
    answer: { status: 200, json: run },
    errors: ["revision_gone", "revision_unknown", "limit_exceeded", "busy"],
    handle: async (call) => json(await restartStep(call.service, placeOf(call))),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/skip",
    id: "skipToStep",
    summary: "Does what solves the steps before one, and goes on there; skipped steps bring no points.",
    scope: "lessons:write",
    body: skipToStep,
    answer: { status: 200, json: run },
    errors: ["solution_refused", "limit_exceeded", "busy"],
    handle: async (call) => json(await skipTo(call.service, placeOf(call), call.body.step)),
  }),
];

export const lessonRoutes = [...lessonsThemselves, ...theirRuns];

function placeOf({
  tenantId,
  path: { name = "", run: id = "" },
}: Pick<Call<unknown, unknown>, "tenantId" | "path">): RunPlace {
  return { tenantId, lesson: name, run: id };
}

async function results(call: Call<ReturnType<typeof resultsQuery.parse>, unknown>): Promise<Response> {
  const { service, tenantId, query, path, headers } = call;
  const page = await listResults(service, tenantId, path["name"] ?? "", query);
  const wantsCsv = (query.format ?? (/text\/csv/i.test(headers.get("accept") ?? "") ? "csv" : "json")) === "csv";
  if (!wantsCsv) return json(page);
  const answer = text(resultsCsv(page.results), csv);
  if (page.nextCursor !== undefined) answer.headers.set("sandbar-next-cursor", page.nextCursor);
  return answer;
}
