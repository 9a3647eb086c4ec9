// Routes of a teacher who leads learners: messages, time, pauses, the learner's terminal, and a comparison of runs.
import { run } from "../../../../shared/contract/lesson.ts";
import {
  addTime as addTimeBody,
  commandList,
  commandsQuery,
  comparison,
  comparisonQuery,
  helpLearner,
  pauseRuns as pauseRunsBody,
  reached,
  sendMessage,
} from "../../../../shared/contract/hosted/teaching.ts";
import type { LedRuns } from "../../db/learn/teaching.ts";
import { json } from "../answers.ts";
import { compareRuns } from "../learn/comparison.ts";
import { help } from "../learn/helping.ts";
import { listCommands, message } from "../learn/recording.ts";
import { addTime, pauseRuns } from "../learn/run-time.ts";
import { type RouteCall, route } from "../route.ts";

export const teachingRoutes = [
  route({
    method: "POST",
    path: "/v1/lessons/{name}/messages",
    id: "sendMessage",
    summary: "Shows a message on the page of one learner, of a class, or of all learners of the lesson.",
    access: { kind: "scope", scope: "lessons:write" },
    body: sendMessage,
    answer: { status: 200, json: reached },
    handle: async (call) => json(await message(call.controlApi, which(call), call.body)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/time",
    id: "addTime",
    summary: "Adds minutes to the time of one learner, of a class and its deadline, or of all learners of the lesson.",
    access: { kind: "scope", scope: "lessons:write" },
    body: addTimeBody,
    answer: { status: 200, json: reached },
    errors: ["expired", "busy"],
    handle: async (call) => json(await addTime(call.controlApi, which(call), call.body)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/pause",
    id: "pauseRuns",
    summary:
      "Pauses or continues runs. A paused sandbox answers no request, and its time stands still for up to 12 hours.",
    access: { kind: "scope", scope: "lessons:write" },
    body: pauseRunsBody,
    answer: { status: 200, json: reached },
    errors: ["expired", "busy"],
    handle: async (call) => json(await pauseRuns(call.controlApi, which(call), call.body.paused)),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/comparison",
    id: "compareRuns",
    summary:
      "Lists pairs of runs that share lines and answers which few other runs have. It is a hint to look closer, never a verdict.",
    access: { kind: "scope", scope: "lessons:read" },
    query: comparisonQuery,
    answer: { status: 200, json: comparison },
    handle: async ({ controlApi, tenantId, query, path: { name = "" } }) =>
      json(await compareRuns(controlApi, { tenantId, lesson: name, class: query.class })),
  }),
  route({
    method: "GET",
    path: "/v1/lessons/{name}/runs/{run}/commands",
    id: "listCommands",
    summary: "Lists the lines that were run in the learner's terminal, with times and the end of their output.",
    access: { kind: "scope", scope: "lessons:read" },
    query: commandsQuery,
    answer: { status: 200, json: commandList },
    handle: async (call) => json(await listCommands(call.controlApi, placeOf(call), call.query)),
  }),
  route({
    method: "POST",
    path: "/v1/lessons/{name}/runs/{run}/help",
    id: "helpLearner",
    summary:
      "Asks the learner for consent to join the terminal, runs a line in it or interrupts it after consent, or leaves it.",
    access: { kind: "scope", scope: "lessons:write" },
    body: helpLearner,
    answer: { status: 200, json: run },
    errors: ["consent_missing", "paused", "busy"],
    handle: async (call) => json(await help(call.controlApi, placeOf(call), call.body)),
  }),
];

type TeachingCall = Pick<RouteCall<unknown, unknown>, "tenantId" | "path">;

interface Which {
  readonly run?: string | undefined;
  readonly class?: string | undefined;
}

function which({ tenantId, path, body }: TeachingCall & { readonly body: Which }): LedRuns {
  return { tenantId, lesson: path["name"] ?? "", run: body.run, class: body.class };
}

function placeOf({ tenantId, path: { name = "", run: id = "" } }: TeachingCall) {
  return { tenantId, lesson: name, run: id };
}
