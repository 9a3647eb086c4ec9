// What a tenant may have and do: its plan with what it has in place of it, what is refused past that, and what answers tell of it.
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
import type { Remembered } from "../../remembered.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { countsOf } from "./reconcile.ts";

export interface Standing {
  readonly plan: PlanName;
  readonly limits: PlanLimits;
  /** Why the tenant is refused; empty: it is not. */
  readonly suspended: string;
}

export async function standingOf({ plans, plan: usual }: Pick<ControlApiServer, "plans" | "plan">, tenantId: string) {
  const found = await plans.find(tenantId);
  const plan = planNamed(found?.plan ?? "") ?? usual;
  const standing: Standing = {
    plan,
    limits: limitsOf(plan, found?.overrides ?? {}),
    suspended: found?.suspended ?? "",
  };
  return standing;
}

/** What an isolate remembers of tenants' plans. `plan`: absent where nothing is said of the tenant. */
export type RememberedPlans = Remembered<{ readonly plan: TenantPlan | undefined }>;

/** The same, which asks D1 for what is not remembered. What this isolate sets holds at once here, elsewhere once it is forgotten. */
export function rememberedPlans(plans: PlanDirectory, known: RememberedPlans, nowMs: () => number): PlanDirectory {
  return {
    ...plans,
    find: async (tenantId) => {
      const remembered = known.get(tenantId, nowMs());
      if (remembered) return remembered.plan;
      const since = known.now();
      const plan = await plans.find(tenantId);
      known.keep(tenantId, { plan }, nowMs(), since);
      return plan;
    },
    set: async (tenantId, to) => {
      const isSet = await plans.set(tenantId, to);
      known.clear();
      return isSet;
    },
  };
}

/** What a tenant may have and do, and what of it is used. */
export async function shownStanding(controlApi: ControlApiServer, tenantId: string): Promise<StandingShown> {
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

/** What each sandbox of such a tenant is told; what is not named is the service's own. */
export function limitsOfSandbox({ limits: given }: Pick<ControlApiServer, "limits">, all: PlanLimits): GivenLimits {
  return { ...given, ...sandboxPart(all) };
}

/** Undefined: there is none of that name. */
export function planNamed(name: string): PlanName | undefined {
  return planNames.find((one) => one === name);
}

export function requireActive({ suspended }: Standing): void {
  if (suspended === "") return;
  throw new ControlError(403, "suspended", `the tenant is suspended: ${suspended}`);
}

/** Throws 403 where one request asks for more than the plan has. */
export function requireWithin(all: PlanLimits, asked: Partial<Record<"nodes" | "ttlSeconds", number>>): void {
  for (const [name, requested] of Object.entries(asked)) {
    const limited = all[name as keyof typeof asked];
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
  /** Milliseconds until something of it is free again, where that is known. */
  readonly resetMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose limit it is. */
  readonly of?: "plan" | "publishable key" | "class";
}

/** Seconds after which to come again for what only somebody's doing frees. */
const usualRetrySeconds = 60;
/** So that a client that sleeps for as long wakes again. */
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

/** Who asked looks for the sandbox that there is; no client sees it. */
export class AlreadyVisited extends ControlError {
  constructor() {
    super(409, "busy", "the visitor has a sandbox already");
  }
}

/** Of a refused creation. */
export function creationRefused(
  { limit, quotas, reached }: Extract<Admitted, { ok: false }>,
  { most, source }: { readonly most: number; readonly source: Source | undefined },
): ControlError {
  if (limit === "ticket") return invalidField("challenge", "was used before: get another");
  if (limit === "visited") return new AlreadyVisited();
  if (limit === "creationsPerAddress") {
    const made = source?.kind === "trial" ? source.most : 0;
    return limitReached({ name: limit, limited: made, used: made, resetMs: longestRetrySeconds * 1000 });
  }
  if (!isCounted(limit)) {
    const { limited, used, resetMs } = reached ?? unknownQuota;
    return limitReached({ name: limit, limited: limited ?? 0, used, resetMs, of: "publishable key" });
  }
  const { limited, used, resetMs } = quotas[limit];
  return limitReached({ name: limit, limited: limited ?? most, used, resetMs, headers: quotaHeaders(quotas) });
}

const unknownQuota: Quota = { limited: 0, used: 0, resetMs: undefined };

/** Whether it is one of the plan's. */
function isCounted(limit: string): limit is keyof Quotas {
  return limit === "creationsPerHour" || limit === "liveSandboxes";
}

/** The fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: of what has a bound. */
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
