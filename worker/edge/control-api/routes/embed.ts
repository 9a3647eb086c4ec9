// Routes of frames in other sites' pages. They need no key: the service signed the tokens in their bodies.
import {
  answerInSession,
  createEmbedSession,
  embedReset,
  embedSession,
  inSession,
  oembed,
  oembedQuery,
} from "../../../../shared/contract/hosted/embed.ts";
import { run } from "../../../../shared/contract/lesson.ts";
import { type ErrorCode, serviceFailures } from "../../../../shared/contract/error.ts";
import { json } from "../answers.ts";
import { answerVisitor, checkVisitor, resetVisitor } from "../embed/visitor-actions.ts";
import { oembedOf } from "../embed/oembed.ts";
import { openSession } from "../embed/sessions.ts";
import { route } from "../route.ts";

const ofSession: readonly ErrorCode[] = [
  "too_many_failures",
  "unauthorized",
  "origin_not_allowed",
  "suspended",
  "not_found",
  "expired",
  "busy",
  ...serviceFailures,
];
const ofMaking: readonly ErrorCode[] = [
  "not_offered",
  "limit_reached",
  "beyond_plan",
  "too_many_runs",
  "too_many_tokens",
  "invalid_manifests",
];

export const embedRoutes = [
  route({
    method: "POST",
    path: "/v1/embed/sessions",
    id: "createEmbedSession",
    access: { kind: "public" },
    summary:
      "Returns a visitor's sandbox for the frame in a page. Creates it with the page's publishable key, or finds the existing one.",
    body: createEmbedSession,
    answer: { status: 201, json: embedSession },
    errors: [...ofSession, ...ofMaking],
    handle: async ({ controlApi, headers, body }) => json(await openSession(controlApi, headers, body), 201),
  }),
  route({
    method: "POST",
    path: "/v1/embed/reset",
    id: "resetEmbedded",
    access: { kind: "public" },
    summary: "Resets a visitor's sandbox to its initial state, or in a lesson to the start of the step.",
    body: inSession,
    answer: { status: 200, json: embedReset },
    errors: [...ofSession, "no_beginning", "limit_exceeded", "revision_gone", "revision_unknown"],
    handle: async ({ controlApi, body }) => json(await resetVisitor(controlApi, body.session)),
  }),
  route({
    method: "POST",
    path: "/v1/embed/check",
    id: "checkEmbedded",
    access: { kind: "public" },
    summary: "Grades the visitor's current step. If all its checks pass, the next step begins.",
    body: inSession,
    answer: { status: 200, json: run },
    errors: ofSession,
    handle: async ({ controlApi, body }) => json(await checkVisitor(controlApi, body.session)),
  }),
  route({
    method: "POST",
    path: "/v1/embed/answer",
    id: "answerEmbedded",
    access: { kind: "public" },
    summary: "Stores a visitor's answer to the question of the step.",
    body: answerInSession,
    answer: { status: 200, json: run },
    errors: ofSession,
    handle: async ({ controlApi, body }) => json(await answerVisitor(controlApi, body.session, body.answer)),
  }),
  route({
    method: "GET",
    path: "/v1/oembed",
    id: "getOembed",
    access: { kind: "public" },
    summary: "Describes how to embed a frame in a page, for sites that use oEmbed. Only JSON.",
    query: oembedQuery,
    answer: { status: 200, json: oembed },
    errors: ["not_found", "format_unknown", "internal"],
    handle: async ({ controlApi, query }) => {
      const answer = json(await oembedOf(controlApi, query));
      // Any page can read the response, which contains only what the URL contains.
      answer.headers.set("access-control-allow-origin", "*");
      return answer;
    },
  }),
];
