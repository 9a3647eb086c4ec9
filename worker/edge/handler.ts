// Every request to the Worker, in the order of these lines: a sandbox's, the control API's, a page.
import { drizzle } from "drizzle-orm/d1";
import { limits } from "../../shared/base/limits.ts";
import { discardBody } from "../../shared/base/discard.ts";
import { must } from "../../shared/base/assert.ts";
import { systemClock } from "../../shared/base/clock.ts";
import { givenLimits } from "../../shared/contract/sandbox-limits.ts";
import type { Env } from "../env.ts";
import { sandboxAddress } from "./address.ts";
import { controlApi } from "./control-api.ts";
import { directory } from "./db/directory.ts";
import { enterSandbox } from "./gate.ts";
import { page } from "./pages.ts";
import type { Service } from "./sandboxes.ts";

const dayMs = 24 * 3600 * 1000;
/** An expired sandbox answers 410 for this long, then 404. */
const rememberMs = 30 * dayMs;

export async function handle(request: Request, env: Env): Promise<Response> {
  const response = await answer(request, env);
  await discardBody(request, limits.discardedBodyBytes);
  return response;
}

async function answer(request: Request, env: Env): Promise<Response> {
  const secret = must(env.SANDBAR_SECRET || undefined, "the secret SANDBAR_SECRET");
  const nowMs = () => systemClock.nowMs();
  const url = new URL(request.url);
  const server = serverOf(env, url);
  const certificates = env.SANDBAR_CLIENT_CERTIFICATES || undefined;
  const sandbox = sandboxAddress(request);
  const cluster = (id: string) => env.CLUSTERS.getByName(id);
  if (sandbox)
    return enterSandbox(request, sandbox, { secret, server, certificates, node: env.OUTSIDE, nowMs, cluster });
  const isControl = url.pathname.startsWith("/v1/") || url.pathname === "/healthz";
  const found = isControl ? undefined : await page(request, url, { secret, file: (path, of) => file(env, path, of) });
  return found ?? controlApi.fetch(request, { service: service(env, url), report });
}

/** Once a day. */
export async function forgetExpired(env: Env): Promise<void> {
  await directory(drizzle(env.DB)).forget(systemClock.nowMs() - rememberMs);
}

/** Where clients reach the service. */
function serverOf(env: Env, { origin }: URL): string {
  return env.SANDBAR_SERVER?.replace(/\/+$/, "") || origin;
}

function service(env: Env, url: URL): Service {
  return {
    directory: directory(drizzle(env.DB)),
    secret: env.SANDBAR_SECRET,
    server: serverOf(env, url),
    console: url.origin,
    ca: env.SANDBAR_CA || undefined,
    cluster: (id) => env.CLUSTERS.getByName(id),
    limits: env.SANDBAR_LIMITS ? givenLimits.parse(JSON.parse(env.SANDBAR_LIMITS)) : undefined,
    nowMs: () => systemClock.nowMs(),
  };
}

function file(env: Env, path: string, request: Request): Promise<Response> {
  const { method, headers } = request;
  return env.ASSETS.fetch(new URL(path, request.url).href, { method, headers });
}

function report(error: unknown, where: string): void {
  console.error(`${where}:`, error);
}
