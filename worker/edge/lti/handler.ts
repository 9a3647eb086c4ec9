// The pages of LTI 1.3 under `/lti/...`. The clients are browsers, and platforms that fetch keys.
import { LaunchRefused } from "../../lti/id-token.ts";
import { requireOwnPage } from "../control-api/access/cookies.ts";
import { ControlError } from "../control-api/control-error.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import { onBoard } from "./board.ts";
import { chosenPage } from "./deep-linking.ts";
import { parametersOf } from "./form.ts";
import { launch } from "./launch.ts";
import { beginLogin } from "./login.ts";
import { guarded, problemPage } from "./page.ts";
import { canvasConfiguration, register } from "./registration.ts";
import { publicKeys } from "./tool-keys.ts";

/** The seconds for which platforms can cache the tool's keys, shorter than the delay before a new key signs. */
const keysSeconds = 3600;

interface PageRequest {
  readonly controlApi: ControlApiServer;
  readonly tenantId: string;
  /** The path after the page's name. */
  readonly rest: string;
  readonly headers: Headers;
  readonly parameters: ReadonlyMap<string, string>;
}

interface Page {
  readonly methods: readonly string[];
  /** True if its forms are submitted only by the service's own pages, because their values belong to one browser. */
  readonly isOwn?: true;
  answer(request: PageRequest): Promise<Response>;
}

const pages: Readonly<Record<string, Page>> = {
  login: {
    methods: ["GET", "POST"],
    answer: ({ controlApi, tenantId, parameters }) => beginLogin(controlApi, tenantId, parameters),
  },
  launch: {
    methods: ["POST"],
    answer: ({ controlApi, tenantId, parameters, headers }) => launch(controlApi, tenantId, parameters, headers),
  },
  choose: {
    methods: ["POST"],
    isOwn: true,
    answer: ({ controlApi, tenantId, parameters }) => chosenPage(controlApi, tenantId, parameters),
  },
  board: {
    methods: ["POST"],
    isOwn: true,
    answer: ({ controlApi, tenantId, parameters }) => onBoard(controlApi, tenantId, parameters),
  },
  register: {
    methods: ["GET"],
    answer: ({ controlApi, tenantId, rest, parameters }) => register(controlApi, tenantId, rest, parameters),
  },
  "jwks.json": {
    methods: ["GET", "HEAD"],
    answer: ({ controlApi, tenantId }) => keySet(controlApi, tenantId),
  },
  "canvas.json": {
    methods: ["GET"],
    answer: async ({ controlApi, tenantId }) =>
      Response.json(canvasConfiguration(controlApi, tenantId), { headers: guarded }),
  },
};

const path = /^\/lti\/([\w-]{1,64})\/([a-z.]{1,20})(?:\/([\w.-]{1,1000}))?$/;

/** Never rejects. */
export async function lti(request: Request, url: URL, controlApi: ControlApiServer): Promise<Response> {
  try {
    const [, tenantId = "", name = "", rest = ""] = path.exec(url.pathname) ?? [];
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (!page || (rest !== "") !== (name === "register")) return nothingHere();
    if (!page.methods.includes(request.method)) return notSo(page.methods);
    if (page.isOwn) requireOwnPage(controlApi.console, request.headers);
    const parameters = await parametersOf(request, url);
    return await page.answer({ controlApi, tenantId, rest, headers: request.headers, parameters });
  } catch (error) {
    if (error instanceof LaunchRefused) return problemPage(error.message, 400);
    if (error instanceof ControlError) return problemPage(`This could not be done: ${error.message}.`, error.status);
    controlApi.report(error, `${request.method} /lti`);
    return problemPage("Something went wrong on the service's side: open the lesson again.", 500);
  }
}

async function keySet(controlApi: ControlApiServer, tenantId: string): Promise<Response> {
  const keys = await publicKeys(controlApi, tenantId);
  if (!keys) return nothingHere();
  return Response.json(keys, { headers: { ...guarded, "cache-control": `public, max-age=${keysSeconds}` } });
}

function nothingHere(): Response {
  return problemPage("There is nothing at this address.", 404);
}

function notSo(methods: readonly string[]): Response {
  const answer = problemPage("Open the lesson from your course: this address is for your course's pages.", 405);
  answer.headers.set("allow", methods.join(", "));
  return answer;
}
