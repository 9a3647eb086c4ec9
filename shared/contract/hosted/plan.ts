// Plans: the limits of a tenant. D1 stores a tenant's overrides.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { givenLimits } from "../sandbox-limits.ts";

/** A limit. Null for none. */
const bound = z.int().min(0).max(1_000_000_000_000).nullable();

/** The limits of a tenant or of each of its requests. */
const ofTenant = z.strictObject({
  /** The number of live sandboxes. */
  liveSandboxes: bound,
  /** The number of sandboxes that are created within any hour, including deleted ones. */
  creationsPerHour: bound,
  /** The same for each person, with the keys that the person created. Absent for none. */
  liveSandboxesPerPerson: bound.optional(),
  creationsPerHourPerPerson: bound.optional(),
  /** The number of nodes of a sandbox, initial and added. */
  nodes: bound,
  /** The lifetime of a sandbox in seconds. */
  ttlSeconds: bound,
  /** The bytes of the files of all snapshots. */
  snapshotBytes: bound,
  /** The number of template versions. */
  templates: bound,
  /** The number of webhooks. */
  webhooks: bound,
  /** The number of organizations that an owner of this one can create. */
  organisations: bound,
});

/** The limits of a tenant, and those of each of its sandboxes: see `SandboxLimits`. */
export const planLimits = z.strictObject({ ...givenLimits.shape, ...ofTenant.shape });

export type PlanLimits = z.output<typeof planLimits>;

/** The limits of a tenant that replace its plan's. */
export const limitOverrides = planLimits.partial();

export type LimitOverrides = z.output<typeof limitOverrides>;

/** Response of `GET /v1/limits`. */
export const standing = z.object({
  plan: z.string(),
  /** The effective limits: the plan, the tenant's overrides, and the service's defaults for each sandbox. Null for no limit. */
  limits: planLimits,
  used: z.object({
    liveSandboxes: z.int(),
    creationsPerHour: z.int(),
    snapshotBytes: z.int(),
    templates: z.int(),
    webhooks: z.int(),
  }),
});

export type StandingShown = z.infer<typeof standing>;

export const planNames = ["unmetered", "team", "free", "trial"] as const;

export type PlanName = (typeof planNames)[number];

const MiB = 1024 * 1024;
const hour = 3600;

/** The plans. A missing sandbox limit is the service's default. */
export const plans: Readonly<Record<PlanName, PlanLimits>> = {
  /** The plan of a self-hosted service. */
  unmetered: {
    liveSandboxes: null,
    creationsPerHour: null,
    nodes: null,
    ttlSeconds: null,
    snapshotBytes: null,
    templates: limits.templates,
    webhooks: limits.webhooks,
    organisations: null,
  },
  team: {
    liveSandboxes: 500,
    creationsPerHour: 5_000,
    nodes: 500,
    ttlSeconds: limits.sandboxTtlSecondsMax,
    snapshotBytes: 10_240 * MiB,
    templates: 200,
    webhooks: 20,
    organisations: 10,
    objects: 50_000,
    bytes: 1024 * MiB,
    requestsPerSecond: 500,
  },
  free: {
    liveSandboxes: 10,
    creationsPerHour: 100,
    nodes: 20,
    ttlSeconds: 7 * 24 * hour,
    snapshotBytes: 256 * MiB,
    templates: 20,
    webhooks: 3,
    organisations: 3,
    objects: 5_000,
    bytes: 64 * MiB,
    watches: 200,
    reads: 50,
    sessions: 20,
    tunnels: 4,
    requestsPerSecond: 50,
    requestsInFlight: 100,
    webhookCalls: 20,
  },
  /** The plan of anonymous callers, who share one tenant. */
  trial: {
    liveSandboxes: 200,
    creationsPerHour: 500,
    nodes: 3,
    ttlSeconds: hour,
    snapshotBytes: 0,
    templates: 0,
    webhooks: 0,
    organisations: 0,
    objects: 1_000,
    bytes: 8 * MiB,
    watches: 50,
    reads: 10,
    sessions: 5,
    tunnels: 0,
    requestsPerSecond: 20,
    requestsInFlight: 30,
    webhookCalls: 5,
  },
};

/** Returns the effective limits of a plan with overrides. */
export function limitsOf(plan: PlanName, overrides: LimitOverrides): PlanLimits {
  const overriding = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...plans[plan], ...Object.fromEntries(overriding) };
}

/** Returns the limits of each sandbox. Missing limits are the service's defaults. */
export function sandboxPart(all: PlanLimits): z.output<typeof givenLimits> {
  const names = Object.keys(givenLimits.shape);
  const sandboxLimits = Object.entries(all).filter(([name, value]) => names.includes(name) && value !== null);
  return givenLimits.parse(Object.fromEntries(sandboxLimits));
}
