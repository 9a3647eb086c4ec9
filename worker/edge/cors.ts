// CORS: a tenant names the origins whose pages can call the control API and its sandboxes. Cookies are never accepted from them.
import { limits } from "../../shared/base/limits.ts";
import type { TenantDirectory } from "./db/tenants.ts";
import type { ExpiringCache } from "./expiring-cache.ts";
import { within } from "./within.ts";

export interface AllowedOrigins {
  /** Reports whether any tenant allows the origin. A preflight request of the control API learns no more. */
  byAny(origin: string): Promise<boolean>;
  /** Reports whether the tenant of the sandbox allows the origin. */
  bySandbox(origin: string, sandboxId: string): Promise<boolean>;
  byTenant(origin: string, tenantId: string): Promise<boolean>;
  /** Clears the cache after a change. */
  clear(): void;
}

export interface OriginSource {
  readonly tenants: Pick<TenantDirectory, "namesOrigin" | "originsOfSandbox" | "find">;
  /** The allowed origins by cache key. */
  readonly cache: ExpiringCache<readonly string[]>;
  nowMs(): number;
}

/** Returns the allowed origins with a cache. If D1 does not answer in time, no origin is allowed and nothing else fails. */
export function allowedOrigins({ tenants, cache, nowMs }: OriginSource): AllowedOrigins {
  const named = async (about: string, ask: () => Promise<readonly string[]>): Promise<readonly string[]> => {
    const since = cache.now();
    const remembered = cache.get(about, nowMs());
    if (remembered) return remembered;
    const origins = await within(limits.originWaitMs, ask()).catch(() => undefined);
    if (origins) cache.keep(about, origins, nowMs(), since);
    return origins ?? [];
  };
  return {
    byAny: async (origin) => {
      if (!isOrigin(origin)) return false;
      const origins = await named(`origin ${origin}`, async () =>
        (await tenants.namesOrigin(origin)) ? [origin] : [],
      );
      return origins.includes(origin);
    },
    bySandbox: async (origin, sandboxId) =>
      (await named(`sandbox ${sandboxId}`, () => tenants.originsOfSandbox(sandboxId))).includes(origin),
    byTenant: async (origin, tenantId) => {
      const ask = async () => (await tenants.find(tenantId))?.allowedOrigins ?? [];
      return (await named(`tenant ${tenantId}`, ask)).includes(origin);
    },
    clear: cache.clear,
  };
}

/** Returns the origin of another site's page. Returns undefined for the service's own pages and for clients that are no browsers. */
export function foreignOrigin({ headers, url }: Request): string | undefined {
  const origin = headers.get("origin");
  if (origin === null) return undefined;
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host ? undefined : origin;
}

/** Reports whether the request is a CORS preflight. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/** Answers a preflight of an allowed origin. */
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

/** Upstream's headers, and those that clients of both APIs send. */
const allowedHeaders =
  "Accept, Audit-Id, Authorization, Content-Type, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, Last-Event-ID, Impersonate-Group, Impersonate-Uid, Impersonate-User, Sandbar-Version, X-Requested-With";

const exposedHeaders = [
  "Allow, Audit-Id, Date, ETag, Idempotency-Replayed, Request-Id, Retry-After, Sandbar-Version, Warning",
  "RateLimit, RateLimit-Policy, Sandbar-Creations-Last-Hour, Sandbar-Live-Sandboxes",
].join(", ");

/** Exposes response headers. Upstream exposes only `Date`; pages also need warnings, `Retry-After` and the rate limits. */
export function allow(headers: Headers, origin: string): void {
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", exposedHeaders);
  headers.append("vary", "Origin");
}

function isOrigin(text: string): boolean {
  return text.length <= originCharacters && /^https?:\/\/[^/\s]+$/.test(text);
}

const originCharacters = 255;
