// The control API: `/v1`, built from its table of routes. A route declares the access that it needs.
import { type Context, Hono } from "hono";
import * as z from "zod";
import { isStorageFull } from "../../../shared/base/disk/storage-full.ts";
import { limits } from "../../../shared/base/limits.ts";
import { errorCodes, problemType } from "../../../shared/contract/error.ts";
import { apiVersions, currentApiVersion, versionHeader } from "../../../shared/contract/hosted/api-version.ts";
import { isScimPath, scimType } from "../../../shared/contract/hosted/scim.ts";
import { unusableObjectIn } from "../../../shared/k8s/bounds/unusable-object.ts";
import { allow, foreignOrigin, isPreflight, preflightAnswer } from "../cors.ts";
import { bearerOf } from "../credentials.ts";
import { TenantMoving } from "../db/placement.ts";
import { hashOf, randomText, sameText } from "../mac.ts";
import { addressOf, networkOf } from "../network.ts";
import { authenticate } from "./access/authenticate.ts";
import { type Caller, nobody, requireScope } from "./access/caller.ts";
import { requireOwnPage } from "./access/cookies.ts";
import { scimErrorOf } from "./access/scim/answers.ts";
import { json } from "./answers.ts";
import { readJson, readText } from "./body.ts";
import { ControlError, tooManyFailures } from "./control-error.ts";
import { once } from "./idempotency.ts";
import { tagged, whileMatching } from "./http/entity-tags.ts";
import { readLongText } from "./http/long-text.ts";
import { openApi } from "./openapi.ts";
import { requireActive, standingOf } from "./tenancy/plans.ts";
import { findLearner } from "./learn/learner.ts";
import { type Access, type RouteRequest, needsCaller, readerOf, type Route, route } from "./route.ts";
import { adminRoutes } from "./routes/admin.ts";
import { classRoutes } from "./routes/classes.ts";
import { copyRoutes } from "./routes/copies.ts";
import { embedRoutes } from "./routes/embed.ts";
import { eventRoutes } from "./routes/events.ts";
import { faultRoutes } from "./routes/faults.ts";
import { keyRoutes } from "./routes/keys.ts";
import { personRoutes } from "./routes/person.ts";
import { publishableKeyRoutes } from "./routes/publishable-keys.ts";
import { scimRoutes } from "./routes/scim.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { ssoRoutes } from "./routes/sso.ts";
import { tenantRoutes } from "./routes/tenant.ts";
import { ltiRoutes } from "./routes/lti.ts";
import { lessonRoutes } from "./routes/lessons.ts";
import { sandboxRoutes } from "./routes/sandboxes.ts";
import { snapshotRoutes } from "./routes/snapshots.ts";
import { stateRoutes } from "./routes/states.ts";
import { statusRoutes } from "./routes/status.ts";
import { templateRoutes } from "./routes/templates.ts";
import { timeRoutes } from "./routes/time.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { trialRoutes } from "./routes/trial.ts";
import { usageRoutes } from "./routes/usage.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { recordRoute } from "../service/served-routes.ts";
import { fullError } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";
import { readStateBody } from "./states.ts";

interface ControlEnv {
  Bindings: { readonly controlApi: ControlApiServer };
  Variables: { caller?: Caller; requestId: string };
}

const requestIdLength = 24;
let document: object | undefined;

/** Every route of the control API. */
export const routes: readonly Route[] = [
  route({
    method: "GET",
    path: "/healthz",
    id: "health",
    access: { kind: "public" },
    summary: "Whether the service answers.",
    answer: { status: 200, texts: ["text/plain; charset=UTF-8"] },
    handle: async () => new Response("ok", { headers: { "content-type": "text/plain; charset=UTF-8" } }),
  }),
  route({
    method: "GET",
    path: "/v1/openapi.json",
    id: "openApi",
    access: { kind: "public" },
    summary: "This document.",
    answer: { status: 200, json: z.looseObject({ openapi: z.string() }) },
    handle: async () => json((document ??= openApi(routes))),
  }),
  ...statusRoutes,
  ...sandboxRoutes,
  ...tokenRoutes,
  ...snapshotRoutes,
  ...stateRoutes,
  ...timeRoutes,
  ...faultRoutes,
  ...templateRoutes,
  ...usageRoutes,
  ...webhookRoutes,
  ...eventRoutes,
  ...adminRoutes,
  ...copyRoutes,
  ...trialRoutes,
  ...keyRoutes,
  ...publishableKeyRoutes,
  ...embedRoutes,
  ...tenantRoutes,
  ...signInRoutes,
  ...ssoRoutes,
  ...scimRoutes,
  ...personRoutes,
  ...lessonRoutes,
  ...classRoutes,
  ...ltiRoutes,
];

/** Called as `controlApiApp.fetch(request, { controlApi })`. */
export const controlApiApp = new Hono<ControlEnv>();

controlApiApp.use("*", async (context, next) => {
  const { req, env } = context;
  const { originCache: origins } = env.controlApi;
  context.set("requestId", randomText(requestIdLength));
  const origin = foreignOrigin(req.raw);
  if (origin !== undefined && isPreflight(req.raw) && (await origins.byAny(origin))) return preflightAnswer(origin);
  await next();
  const { caller } = context.var;
  const mayAsk =
    origin !== undefined && (await (caller ? origins.byTenant(origin, caller.tenantId) : origins.byAny(origin)));
  if (mayAsk) allow(context.res.headers, origin);
  context.header("request-id", context.var.requestId);
  context.header(versionHeader, currentApiVersion);
  context.header("cache-control", "no-store");
  context.header("x-content-type-options", "nosniff");
  context.header("referrer-policy", "no-referrer");
  context.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
});

controlApiApp.use("/v1/*", async (context, next) => {
  const version = context.req.header(versionHeader);
  if (version !== undefined && !apiVersions.some((apiVersion) => apiVersion === version)) {
    const message = `${versionHeader}: must be one of ${apiVersions.join(", ")}`;
    throw new ControlError(400, "unknown_version", message, versionHeader);
  }
  await next();
});

/** Authenticates the callers of some kinds of access, before every request to these paths. */
interface AccessGroup {
  readonly kinds: readonly Access["kind"][];
  readonly paths: readonly string[];
  /** Returns the caller, or undefined if the request needs none. Throws 401. */
  authenticate(controlApi: ControlApiServer, request: Request): Promise<Caller | undefined>;
}

/** The groups in the order of their registration: a path that no earlier group handles falls through to the next. */
const accessGroups: readonly AccessGroup[] = [
  { kinds: ["public", "own-page"], paths: [], authenticate: async () => undefined },
  { kinds: ["operator"], paths: ["/metrics", "/v1/admin/*"], authenticate: authenticateOperator },
  { kinds: ["learner"], paths: ["/v1/learn/*"], authenticate: authenticateLearner },
  { kinds: ["caller", "person", "scope"], paths: ["/v1/*"], authenticate },
];

for (const { kinds, paths, authenticate: authenticateCaller } of accessGroups) {
  for (const path of paths) {
    controlApiApp.use(path, async (context, next) => {
      const caller = await authenticateCaller(context.env.controlApi, context.req.raw);
      if (caller) context.set("caller", caller);
      await next();
    });
  }
  add(routes.filter(({ access }) => kinds.includes(access.kind)));
}

controlApiApp.notFound((context) => {
  return refuse(context, new ControlError(404, "not_found", "there is nothing at this path"));
});

controlApiApp.onError(async (thrown, context) => {
  const error = await throttled(thrown, context.env.controlApi, context.req.raw.headers);
  if (error instanceof ControlError) return refuse(context, error);
  if (error instanceof TenantMoving) {
    const headers = { "retry-after": String(limits.tenantMovingRetrySeconds) };
    const message = "the organisation is moving to another database: ask again soon";
    return refuse(context, new ControlError(503, "moving", message, undefined, { headers }));
  }
  const { controlApi } = context.env;
  // SQLite reports a full disk under several codes, so check the free space before answering 500.
  const isShort = isFull(error) || (controlApi.hasFreeSpace !== undefined && !(await controlApi.hasFreeSpace()));
  if (isShort) return refuse(context, fullError());
  controlApi.report(error, `${context.req.method} ${context.req.path} (request ${context.var.requestId})`);
  const unusable = unusableObjectIn(error);
  if (unusable) {
    const code = `stored_data_${unusable.unusable}` as const;
    const { status } = errorCodes[code];
    return refuse(context, new ControlError(status, code, unusable.message));
  }
  return refuse(context, new ControlError(500, "internal", "something went wrong on our side"));
});

async function authenticateOperator({ operatorKey }: ControlApiServer, request: Request): Promise<undefined> {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  // Compare hashes, which have equal lengths.
  if (operatorKey && token && sameText(await hashOf(token), await hashOf(operatorKey))) return;
  const message = "send the operator's key as `Authorization: Bearer ...`";
  throw new ControlError(401, "unauthorized", message, undefined, token ? { credential: token } : {});
}

async function authenticateLearner(controlApi: ControlApiServer, request: Request): Promise<Caller> {
  const caller = await findLearner(controlApi, request);
  if (caller) return caller;
  const credential = bearerOf(request);
  const message = "send a learner's token as `Authorization: Bearer sbl_...`";
  throw new ControlError(401, "unauthorized", message, undefined, credential === undefined ? {} : { credential });
}

/** Encodes an error as the problem document of this request. */
function refuse(context: Context<ControlEnv>, error: ControlError): Response {
  const isScim = isScimPath(context.req.path);
  const body = isScim ? scimErrorOf(error) : error.toBody(context.var.requestId);
  const type = isScim ? scimType : problemType;
  return context.body(JSON.stringify(body), error.status, { ...error.more.headers, "content-type": type });
}

/** Counts a refused credential, and replaces the error if there were too many. */
async function throttled(error: Error, { throttle, nowMs }: ControlApiServer, headers: Headers): Promise<Error> {
  const credential = error instanceof ControlError ? error.more.credential : undefined;
  if (credential === undefined) return error;
  const seconds = await throttle.failed({ address: addressOf(headers), credential }, nowMs());
  return seconds === undefined ? error : tooManyFailures(seconds);
}

/** Registers the routes, and a 405 for the other methods of their paths. */
function add(routeGroup: readonly Route[]): void {
  for (const apiRoute of routeGroup) {
    const reader = readerOf(apiRoute, routes);
    controlApiApp.on(apiRoute.method, pattern(apiRoute), async (context) => {
      const { req, env, var: variables } = context;
      const { headers } = req.raw;
      recordRoute(req.raw, apiRoute.id);
      const { caller = nobody } = variables;
      const { tenantId } = caller;
      requireMay(apiRoute, caller, env.controlApi.console, headers);
      const { kind } = apiRoute.access;
      const operated = kind === "operator" ? (req.param("tenant") ?? "") : "";
      const { madeBy } = caller;
      const called = { ...env.controlApi, requestId: variables.requestId, ...(madeBy === undefined ? {} : { madeBy }) };
      const controlApi = withAudit(called, apiRoute, {
        caller,
        headers,
        operated,
      });
      // A suspended tenant's member can still read and change their own account, which may belong to other tenants.
      if (kind === "scope" || kind === "learner") requireActive(await standingOf(controlApi, caller.tenantId));
      if (apiRoute.method !== "GET" && tenantId) await controlApi.requireSettled?.(tenantId);
      const sent = await readBody(apiRoute, req.raw);
      // The number of a learner's runs is limited, so their requests need no idempotency keys.
      const key =
        apiRoute.method === "POST" && tenantId && kind !== "learner" ? req.header("idempotency-key") : undefined;
      const routeRequest = { controlApi, caller, tenantId, headers, signal: req.raw.signal, ...sent };
      const answer = async (more: Pick<ControlApiServer, "repeated"> = {}) => {
        const request: RouteRequest = {
          ...routeRequest,
          controlApi: { ...controlApi, ...more },
          path: req.param(),
          query: single(req.queries()),
        };
        const write = () => apiRoute.answerTo(request);
        if (apiRoute.method === "GET") return tagged(apiRoute, request, await write());
        return whileMatching(reader, request, { write, tenantId: operated || tenantId });
      };
      if (key === undefined) return answer();
      const request = await fingerprintOf(req.raw, sent, caller);
      return once(controlApi, { tenantId, key, request, resumes: apiRoute.resumes === true }, (repeated) =>
        answer({ repeated }),
      );
    });
  }
  for (const [path, allow] of allowed(routeGroup)) {
    controlApiApp.all(path, (context) => {
      context.header("allow", allow);
      const message = `${context.req.method} is not possible here, only ${allow}`;
      return refuse(context, new ControlError(405, "method_not_allowed", message));
    });
  }
}

/** Checks access before anything of the request is read. */
function requireMay({ access }: Route, caller: Caller, console: string, headers: Headers): void {
  if (access.kind === "own-page") requireOwnPage(console, headers);
  if (access.kind === "scope") requireScope(caller, access.scope);
  if (access.kind === "person" && !caller.person) {
    throw new ControlError(403, "person_needed", "this is for people who have signed in, not for keys");
  }
}

interface NotedRequest {
  readonly caller: Caller;
  readonly headers: Headers;
  /** The tenant that an operator's request concerns. */
  readonly operated: string;
}

const operator = { kind: "operator", id: "operator", name: "operator" } as const;

/** Returns a service that audits the changes of an authenticated caller. */
function withAudit(
  controlApi: ControlApiServer,
  apiRoute: Route,
  { caller, headers, operated }: NotedRequest,
): ControlApiServer {
  const isOperators = apiRoute.access.kind === "operator";
  if (apiRoute.method === "GET" || !(needsCaller(apiRoute) || isOperators)) return controlApi;
  const { kind: actorKind, id: actorId, name: actorName } = isOperators ? operator : caller.by;
  const tenantId = isOperators ? operated : caller.tenantId;
  const { requestId = "" } = controlApi;
  const atMs = controlApi.nowMs();
  const by = { actorKind, actorId, actorName };
  const auditContext = { tenantId, atMs, ...by, action: apiRoute.id, address: networkOf(headers), requestId };
  return { ...controlApi, ...controlApi.auditing(auditContext), auditContext };
}

/** Returns the value of the `Allow` header for each path. */
function allowed(routeGroup: readonly Route[]): Map<string, string> {
  const methods = new Map<string, string[]>();
  for (const apiRoute of routeGroup) {
    const pathMethods = apiRoute.method === "GET" ? ["GET", "HEAD"] : [apiRoute.method];
    methods.set(pattern(apiRoute), [...(methods.get(pattern(apiRoute)) ?? []), ...pathMethods]);
  }
  return new Map([...methods].map(([path, all]) => [path, all.sort().join(", ")]));
}

/** Returns a path in Hono's syntax. */
function pattern({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

type Sent = Pick<RouteRequest, "json" | "file" | "text">;

async function readBody({ body, fileBody, textBody = [] }: Route, request: Request): Promise<Sent> {
  const none = { json: undefined, file: undefined, text: undefined };
  if (!body) return none;
  const type = request.headers.get("content-type");
  const media = (type ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (media === fileBody) return { ...none, file: await readStateBody(request) };
  if (textBody.includes(media)) return { ...none, text: await readLongText(request) };
  return { ...none, json: readJson(await readText(request), type) };
}

/**
 * Returns the fingerprint of a request for idempotency. It includes the caller, because responses contain secrets. The beginning and the
 * length stand for a text that is not in memory.
 */
async function fingerprintOf({ method, url, headers }: Request, { json: body, file, text }: Sent, { by }: Caller) {
  const shortText = typeof text === "object" ? [text.first, headers.get("content-length")] : text;
  const content = file ? [...new Uint8Array(await crypto.subtle.digest("SHA-256", file))] : (shortText ?? body);
  return JSON.stringify([method, url, headers.get("accept"), headers.get("content-type"), content, by.id]);
}

function single(queries: Record<string, string[]>): RouteRequest["query"] {
  return Object.fromEntries(
    Object.entries(queries).map(([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]),
  );
}

/** D1's driver wraps the SQLite message in the error's cause. */
function isFull(error: unknown): boolean {
  return isStorageFull(error) || (error instanceof Error && isStorageFull(error.cause));
}
