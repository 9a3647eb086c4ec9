// Every request to the Worker, in the order of these lines: a sandbox's, the control API's, a page.
import { waitUntil } from "cloudflare:workers";
import { trimmedEnd } from "../../shared/base/trim.ts";
import { drizzle } from "drizzle-orm/d1";
import { limits } from "../../shared/base/limits.ts";
import { discardBody } from "../../shared/base/discard.ts";
import { must } from "../../shared/base/assert.ts";
import { hasRoom } from "../../shared/base/room.ts";
import { systemClock } from "../../shared/base/clock.ts";
import { givenLimits } from "../../shared/contract/sandbox-limits.ts";
import type { Env } from "../env.ts";
import { sandboxAddress, type SandboxAddress } from "./address.ts";
import type { Caller } from "./control-api/access/caller.ts";
import { withoutOwnCookies } from "./control-api/access/cookies.ts";
import { finishTenants } from "./control-api/access/tenant.ts";
import { controlApi } from "./control-api/control-api.ts";
import { allow, allowedOrigins, foreignOrigin, isPreflight, preflightAnswer } from "./cors.ts";
import { auditLog } from "./db/audit.ts";
import type { Database } from "./db/database.ts";
import { directories } from "./db/directories.ts";
import { directory } from "./db/directory.ts";
import { idempotency } from "./db/idempotency.ts";
import { forgetInvitations } from "./db/members.ts";
import { forgetSessions } from "./db/people.ts";
import { tenantDirectory } from "./db/tenants.ts";
import { remembered } from "./remembered.ts";
import { knownSandboxId } from "./admitted.ts";
import { proxyToSandbox, type SandboxProxy } from "./sandbox-proxy.ts";
import { finishLeftovers, forgetExpired } from "./control-api/leftovers.ts";
import {
  finishSnapshotLeftovers,
  forgetExpiredSnapshots,
  removeUnknownFiles,
} from "./control-api/snapshot-leftovers.ts";
import { lessonDirectory } from "./db/lessons.ts";
import { snapshotDirectory } from "./db/snapshots.ts";
import { bucketFiles } from "./files.ts";
import { page } from "./pages.ts";
import type { ControlApiServer, SignInSettings } from "./control-api/service.ts";

const dayMs = 24 * 3600 * 1000;
/** An expired sandbox or snapshot answers 410 for this long, then 404. */
const rememberMs = 30 * dayMs;

export async function handle(request: Request, env: Env): Promise<Response> {
  const response = await answer(request, env);
  await discardBody(request, limits.discardedBodyBytes);
  return response;
}

async function answer(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  const proxy = proxyOf(env);
  const sandbox = sandboxAddress(request, url);
  if (sandbox)
    return withoutOwnCookies(
      await ofSandbox(request, sandbox, proxy.server ? proxy : { ...proxy, server: url.origin }, env),
    );
  const isControl = url.pathname.startsWith("/v1/") || url.pathname === "/healthz";
  const { secret } = proxy;
  const found = isControl ? undefined : await page(request, url, { secret, file: (path, of) => file(env, path, of) });
  return found ?? controlled(request, service(env, url));
}

/** Browsers' pages of other origins may ask where the sandbox's tenant names them. */
async function ofSandbox(request: Request, address: SandboxAddress, proxy: SandboxProxy, env: Env): Promise<Response> {
  const origin = foreignOrigin(request);
  // An invented id asks nobody.
  const isAsked = origin !== undefined && (await knownSandboxId(proxy.secret, address.id)) !== undefined;
  const mayAsk = isAsked && (await origins(env).bySandbox(origin, address.id));
  if (mayAsk && isPreflight(request)) return preflightAnswer(origin);
  const answer = await proxyToSandbox(request, address, proxy);
  if (!mayAsk || answer.status === 101) return answer;
  const own = new Response(answer.body, answer);
  allow(own.headers, origin);
  return own;
}

/** What follows from the bindings alone; an isolate has one set of them. `server` is empty where it is the request's origin. */
const proxies = new WeakMap<Env, SandboxProxy>();

function proxyOf(env: Env): SandboxProxy {
  const known = proxies.get(env);
  if (known) return known;
  const made: SandboxProxy = {
    secret: must(env.SANDBAR_SECRET || undefined, "the secret SANDBAR_SECRET"),
    server: trimmedEnd(env.SANDBAR_SERVER ?? "", "/"),
    domain: env.SANDBAR_DOMAIN || undefined,
    certificates: env.SANDBAR_CLIENT_CERTIFICATES || undefined,
    node: env.OUTSIDE,
    ...roomOf(env),
    nowMs: () => systemClock.nowMs(),
    cluster: clusterOf(env),
  };
  proxies.set(env, made);
  return made;
}

/** Whoever asks and does not wait for the answer has asked all the same: what was begun is brought to its end. */
async function controlled(request: Request, of: ControlApiServer): Promise<Response> {
  const answered = Promise.resolve(controlApi.fetch(request, { service: of }));
  waitUntil(answered);
  return answered;
}

/** Once a day. */
export async function sweep(env: Env): Promise<void> {
  const nowMs = () => systemClock.nowMs();
  const db = drizzle(env.DB);
  const sweeper = { directory: directory(db), cluster: clusterOf(env), nowMs, report };
  await finishLeftovers(sweeper);
  await forgetExpired(sweeper, nowMs() - rememberMs);
  const ofSnapshots = { snapshots: snapshotDirectory(db), files: bucketFiles(env.FILES), nowMs, report };
  await finishSnapshotLeftovers(ofSnapshots);
  await forgetExpiredSnapshots(ofSnapshots, rememberMs);
  await removeUnknownFiles(ofSnapshots);
  await finishTenants({ ...sweeper, ...ofSnapshots, tenants: tenantDirectory(db) });
  await forgetOld(db, nowMs());
}

/** As many of each as one run may. */
async function forgetOld(db: Database, nowMs: number): Promise<void> {
  const { idempotencyPages, idempotencyPage, idempotencyMs, controlAuditPages, controlAuditPage, controlAuditMs } =
    limits;
  const { forgetOld: forgetRepeats } = idempotency(db);
  const { forgetOld: forgetAudit } = auditLog(db);
  await pages(idempotencyPages, idempotencyPage, (page) => forgetRepeats(nowMs - idempotencyMs, page));
  await pages(controlAuditPages, controlAuditPage, (page) => forgetAudit(nowMs - controlAuditMs, page));
  await pages(controlAuditPages, controlAuditPage, (page) => forgetSessions(db, nowMs, page));
  await pages(controlAuditPages, controlAuditPage, (page) => forgetInvitations(db, nowMs, page));
  const runs = nowMs - limits.lessonRunDays * dayMs;
  await pages(idempotencyPages, idempotencyPage, (page) => lessonDirectory(db).forgetRuns(runs, page));
}

async function pages(most: number, size: number, forget: (size: number) => Promise<number>): Promise<void> {
  for (let page = 0; page < most; page++) if ((await forget(size)) < size) return;
}

/** A stub belongs to one request; the id that it is made of is worked out from the name once. */
function clusterOf({ CLUSTERS }: Env) {
  const ids = new Map<string, DurableObjectId>();
  return (name: string) => {
    const id = ids.get(name) ?? CLUSTERS.idFromName(name);
    if (ids.size >= limits.keptAdmissions) ids.clear();
    ids.set(name, id);
    return CLUSTERS.get(id);
  };
}

/** Only Node beside a Worker on a user's machine can tell. */
function roomOf({ OUTSIDE: node }: Env): { hasRoom?(): Promise<boolean> } {
  return node ? { hasRoom: () => hasRoom(node) } : {};
}

/** Where clients reach the service. */
function serverOf(env: Env, { origin }: URL): string {
  return trimmedEnd(env.SANDBAR_SERVER ?? "", "/") || origin;
}

/** What an isolate remembers of D1, whatever the request. */
const callers = remembered<Caller>(limits.rememberedCallers, limits.rememberedCallerMs);
const knownOrigins = remembered<readonly string[]>(limits.rememberedCallers, limits.rememberedOriginMs);

function origins(env: Env) {
  const nowMs = () => systemClock.nowMs();
  return allowedOrigins({ tenants: tenantDirectory(drizzle(env.DB)), known: knownOrigins, nowMs });
}

function signInOf(env: Env): SignInSettings {
  const { SANDBAR_GITHUB_CLIENT_ID: clientId = "", SANDBAR_GITHUB_CLIENT_SECRET: clientSecret = "" } = env;
  const url = trimmedEnd(env.SANDBAR_GITHUB_URL || "https://github.com", "/");
  const api = trimmedEnd(env.SANDBAR_GITHUB_API || "https://api.github.com", "/");
  const github = clientId && clientSecret ? { clientId, clientSecret, url, api } : undefined;
  return { signUp: env.SANDBAR_SIGN_UP === "open", github };
}

function service(env: Env, url: URL): ControlApiServer {
  const db = drizzle(env.DB);
  return {
    ...directories(db),
    noting: (noted) => directories(db, noted),
    callers,
    origins: origins(env),
    signIn: signInOf(env),
    later: (work, where) => waitUntil(work().catch((error: unknown) => report(error, where))),
    repeats: idempotency(db),
    files: bucketFiles(env.FILES),
    secret: env.SANDBAR_SECRET,
    server: serverOf(env, url),
    domain: env.SANDBAR_DOMAIN || undefined,
    console: url.origin,
    ca: env.SANDBAR_CA || undefined,
    cluster: clusterOf(env),
    limits: env.SANDBAR_LIMITS ? givenLimits.parse(JSON.parse(env.SANDBAR_LIMITS)) : undefined,
    nowMs: () => systemClock.nowMs(),
    wait: (ms) => scheduler.wait(ms),
    ...roomOf(env),
    report,
  };
}

function file(env: Env, path: string, request: Request): Promise<Response> {
  const { method, headers } = request;
  return env.ASSETS.fetch(new URL(path, request.url).href, { method, headers });
}

function report(error: unknown, where: string): void {
  console.error(`${where}:`, error);
}
