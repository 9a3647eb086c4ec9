// Pages of other origins that may ask the control API and sandboxes: those that a tenant names. Cookies are never taken from them.
import { limits } from "../../shared/base/limits.ts";
import type { TenantDirectory } from "./db/tenants.ts";
import type { Remembered } from "./remembered.ts";
import { within } from "./within.ts";

export interface AllowedOrigins {
  /** Whether any tenant names it: what a preflight of the control API is answered by, which says no more. */
  byAny(origin: string): Promise<boolean>;
  /** Whether the tenant of that sandbox does. */
  bySandbox(origin: string, sandboxId: string): Promise<boolean>;
  byTenant(origin: string, tenantId: string): Promise<boolean>;
  /** They have changed. */
  clear(): void;
}

export interface OriginSource {
  readonly tenants: Pick<TenantDirectory, "namesOrigin" | "originsOfSandbox" | "find">;
  /** By what is asked about. */
  readonly known: Remembered<readonly string[]>;
  nowMs(): number;
}

/** D1 is asked once in a while; where it does not answer in time nobody is allowed, and nothing else fails. */
export function allowedOrigins({ tenants, known, nowMs }: OriginSource): AllowedOrigins {
  const named = async (about: string, ask: () => Promise<readonly string[]>): Promise<readonly string[]> => {
    const since = known.now();
    const remembered = known.get(about, nowMs());
    if (remembered) return remembered;
    const origins = await within(limits.originWaitMs, ask()).catch(() => undefined);
    if (origins) known.keep(about, origins, nowMs(), since);
    return origins ?? [];
  };
  return {
    byAny: async (origin) => {
      if (!isOrigin(origin)) return false;
      const found = await named(`origin ${origin}`, async () => ((await tenants.namesOrigin(origin)) ? [origin] : []));
      return found.includes(origin);
    },
    bySandbox: async (origin, sandboxId) =>
      (await named(`sandbox ${sandboxId}`, () => tenants.originsOfSandbox(sandboxId))).includes(origin),
    byTenant: async (origin, tenantId) => {
      const ask = async () => (await tenants.find(tenantId))?.allowedOrigins ?? [];
      return (await named(`tenant ${tenantId}`, ask)).includes(origin);
    },
    clear: known.clear,
  };
}

/** The origin of another site's page; nothing for the service's own pages and for who is no browser. */
export function foreignOrigin({ headers, url }: Request): string | undefined {
  const origin = headers.get("origin");
  if (origin === null) return undefined;
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host ? undefined : origin;
}

/** Whether it asks only whether it may ask. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/** The answer to one that may. */
export function preflightAnswer(origin: string): Response {
  const headers = new Headers({
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": allowedHeaders,
    "access-control-max-age": String(limits.preflightSeconds),
  });
  const answer = new Response(null, { status: 204, headers });
  allow(answer.headers, origin);
  return answer;
}

/** As upstream's, and what clients of both APIs send beside it. */
const allowedHeaders =
  "Accept, Audit-Id, Authorization, Content-Type, Idempotency-Key, If-Modified-Since, Impersonate-Group, Impersonate-Uid, Impersonate-User, Sandbar-Version, X-Requested-With";

const exposedHeaders = [
  "Allow, Audit-Id, Date, Idempotency-Replayed, Request-Id, Retry-After, Sandbar-Version, Warning",
  "RateLimit, RateLimit-Policy, Sandbar-Creations-Last-Hour, Sandbar-Live-Sandboxes",
].join(", ");

/** Upstream tells of `Date` alone; a page has use for warnings, for when to come again, and for what is left. */
export function allow(headers: Headers, origin: string): void {
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", exposedHeaders);
  headers.append("vary", "Origin");
}

function isOrigin(text: string): boolean {
  return text.length <= originCharacters && /^https?:\/\/[^/\s]+$/.test(text);
}

const originCharacters = 255;
