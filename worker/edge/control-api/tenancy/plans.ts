// The limits of a tenant: its plan with overrides, the errors beyond them, and the response headers about them.
import {
  type PlanLimits,
  type PlanName,
  type StandingShown,
  limitsOf,
  planNames,
  sandboxPart,
} from "../../../../shared/contract/hosted/plan.ts";
import type { Admitted, Quota, Quotas, Source } from "../../../../shared/contract/tenant-object.ts";
import { invalidField } from "../body.ts";
import { type GivenLimits, limitsWith } from "../../../../shared/contract/sandbox-limits.ts";
import type { PlanDirectory, TenantPlan } from "../../db/plans.ts";
import type { ExpiringCache } from "../../expiring-cache.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { countsOf } from "./reconcile.ts";

export interface Standing {
  readonly plan: PlanName;
  readonly limits: PlanLimits;
  /** The reason of a suspension, or empty. */
  readonly suspended: string;
}

export async function standingOf({ plans, plan: usual }: Pick<ControlApiServer, "plans" | "plan">, tenantId: string) {
  const tenantPlan = await plans.find(tenantId);
  const plan = planNamed(tenantPlan?.plan ?? "") ?? usual;
  const standing: Standing = {
    plan,
    limits: limitsOf(plan, tenantPlan?.overrides ?? {}),
    suspended: tenantPlan?.suspended ?? "",
  };
  return standing;
}

/** The plans that an isolate caches. `plan` is undefined if the tenant has no plan of its own. */
export type CachedPlans = ExpiringCache<{ readonly plan: TenantPlan | undefined }>;

/**
 * Returns a directory that caches the plans of D1. A change by this isolate is visible at once here, and elsewhere when the cache entry
 * expires.
 */
export function cachePlans(plans: PlanDirectory, cache: CachedPlans, nowMs: () => number): PlanDirectory {
  return {
    ...plans,
    find: async (tenantId) => {
      const remembered = cache.get(tenantId, nowMs());
      if (remembered) return remembered.plan;
      const since = cache.now();
      const plan = await plans.find(tenantId);
      cache.keep(tenantId, { plan }, nowMs(), since);
      return plan;
    },
    set: async (tenantId, to) => {
      const isSet = await plans.set(tenantId, to);
      cache.clear();
      return isSet;
    },
  };
}

/** Returns the limits of a tenant and its usage. */
export async function describeStanding(controlApi: ControlApiServer, tenantId: string): Promise<StandingShown> {
  const { plan, limits: all } = await standingOf(controlApi, tenantId);
  const [counts, snapshotBytes, templates] = await Promise.all([
    countsOf(controlApi, tenantId),
    controlApi.snapshots.bytes(tenantId, controlApi.nowMs()),
    controlApi.templates.count(tenantId),
  ]);
  const { liveSandboxes, creationsLastHour: creationsPerHour, webhooks } = counts;
  return {
    plan,
    limits: { ...limitsWith(limitsOfSandbox(controlApi, all)), ...all },
    used: { liveSandboxes, creationsPerHour, snapshotBytes, templates: templates.versions, webhooks },
  };
}

/** Returns the limits that each sandbox of the tenant receives. Missing limits are the service's defaults. */
export function limitsOfSandbox(
  { limits: serviceLimits }: Pick<ControlApiServer, "limits">,
  all: PlanLimits,
): GivenLimits {
  return { ...serviceLimits, ...sandboxPart(all) };
}

/** Returns undefined if the name is not a plan. */
export function planNamed(name: string): PlanName | undefined {
  return planNames.find((plan) => plan === name);
}

export function requireActive({ suspended }: Standing): void {
  if (suspended === "") return;
  throw new ControlError(403, "suspended", `the tenant is suspended: ${suspended}`);
}

/** Throws 403 if a request exceeds the plan's limit. */
export function requireWithin(all: PlanLimits, requestedLimits: Partial<Record<"nodes" | "ttlSeconds", number>>): void {
  for (const [name, requested] of Object.entries(requestedLimits)) {
    const limited = all[name as keyof typeof requestedLimits];
    if (limited === null || requested <= limited) continue;
    const message = `${name}: the plan has ${limited}, and ${requested} were asked for`;
    throw new ControlError(403, "beyond_plan", message, name, { limit: { name, limited, requested } });
  }
}

interface Reached {
  readonly name: string;
  readonly limited: number;
  readonly used: number;
  readonly requested?: number;
  /** The milliseconds until the limit is partly free again, if known. */
  readonly resetMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The owner of the limit. */
  readonly of?: "plan" | "publishable key" | "class";
}

/** The seconds of `Retry-After` if the limit is only released by a user's action. */
const usualRetrySeconds = 60;
/** The maximum of `Retry-After`, so that a client that sleeps for it resumes in time. */
const longestRetrySeconds = 3600;

export function limitReached(reached: Reached): ControlError {
  const { name, limited, used, requested = 1, resetMs, headers = {}, of = "plan" } = reached;
  const seconds = resetMs === undefined ? usualRetrySeconds : Math.ceil(resetMs / 1000);
  const retry = String(Math.max(1, Math.min(longestRetrySeconds, seconds)));
  const message = `${name}: the ${of} has ${limited}, ${used} of it are used, and ${requested} more were asked for`;
  return new ControlError(429, "limit_reached", message, undefined, {
    limit: { name, limited, used, requested },
    headers: { ...headers, "retry-after": retry },
  });
}

/** An internal error: the caller looks for the existing sandbox. Clients never receive it. */
export class AlreadyVisited extends ControlError {
  constructor() {
    super(409, "busy", "the visitor has a sandbox already");
  }
}

/** Returns the error for a creation that exceeds a limit. */
export function creationRefused(
  { limit, quotas, reached }: Extract<Admitted, { ok: false }>,
  { most, source }: { readonly most: number; readonly source: Source | undefined },
): ControlError {
  if (limit === "ticket") return invalidField("challenge", "was used before: get another");
  if (limit === "visited") return new AlreadyVisited();
  if (limit === "creationsPerAddress") {
    const trialLimit = source?.kind === "trial" ? source.most : 0;
    return limitReached({ name: limit, limited: trialLimit, used: trialLimit, resetMs: longestRetrySeconds * 1000 });
  }
  if (!isCounted(limit)) {
    const { limited, used, resetMs } = reached ?? unknownQuota;
    const of = limit.endsWith("PerPerson") ? "plan" : "publishable key";
    return limitReached({ name: limit, limited: limited ?? 0, used, resetMs, of });
  }
  const { limited, used, resetMs } = quotas[limit];
  return limitReached({ name: limit, limited: limited ?? most, used, resetMs, headers: quotaHeaders(quotas) });
}

const unknownQuota: Quota = { limited: 0, used: 0, resetMs: undefined };

/** Reports whether the limit is one of the plan's quotas. */
function isCounted(limit: string): limit is keyof Quotas {
  return limit === "creationsPerHour" || limit === "liveSandboxes";
}

/** Returns the fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10, for quotas that are limited. */
export function quotaHeaders({ creationsPerHour, liveSandboxes }: Quotas): Record<string, string> {
  const all: [name: string, quota: Quota, window: string][] = [
    ["creationsPerHour", creationsPerHour, ";w=3600"],
    ["liveSandboxes", liveSandboxes, ""],
  ];
  const bounded = all.filter(([, { limited }]) => limited !== null);
  const counts = Object.fromEntries([
    ["sandbar-live-sandboxes", String(liveSandboxes.used)],
    ["sandbar-creations-last-hour", String(creationsPerHour.used)],
  ]);
  if (bounded.length === 0) return counts;
  return {
    ...counts,
    "ratelimit-policy": bounded.map(([name, { limited }, window]) => `"${name}";q=${limited}${window}`).join(", "),
    ratelimit: bounded.map(([name, quota]) => `"${name}";r=${remaining(quota)}${reset(quota)}`).join(", "),
  };
}

function remaining({ limited, used }: Quota): number {
  return Math.max(0, (limited ?? 0) - used);
}

function reset({ resetMs }: Quota): string {
  return resetMs === undefined ? "" : `;t=${Math.ceil(resetMs / 1000)}`;
}
