// Plans: what a tenant may have and do. One table; what a tenant has in place of it stands in D1.
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { givenLimits } from "../sandbox-limits.ts";

/** Null: as much as the service bears. */
const bound = z.int().min(0).max(1_000_000_000_000).nullable();

/** What is counted of a tenant, or said of each of its requests. */
const ofTenant = z.strictObject({
  /** Sandboxes that are there at once. */
  liveSandboxes: bound,
  /** Sandboxes that are made within any hour, those that are gone again among them. */
  creationsPerHour: bound,
  /** Nodes of a sandbox: those with which it begins, and with those that are added. */
  nodes: bound,
  /** Seconds that a sandbox lives. */
  ttlSeconds: bound,
  /** Bytes of the files of all snapshots. */
  snapshotBytes: bound,
  /** Versions of templates. */
  templates: bound,
  /** Addresses that events are sent to. */
  webhooks: bound,
  /** Organisations that an owner of this one may have made. */
  organisations: bound,
});

/** Those of a tenant, and those of each of its sandboxes: see `SandboxLimits`. */
export const planLimits = z.strictObject({ ...givenLimits.shape, ...ofTenant.shape });

export type PlanLimits = z.output<typeof planLimits>;

/** What a tenant has in place of its plan's. */
export const limitOverrides = planLimits.partial();

export type LimitOverrides = z.output<typeof limitOverrides>;

/** Answer of `GET /v1/limits`. */
export const standing = z.object({
  plan: z.string(),
  /** What holds: of the plan, of what the tenant has in place of it, and the service's own for each sandbox. Null: no bound. */
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

/** A sandbox limit that a plan does not name is the service's own. */
export const plans: Readonly<Record<PlanName, PlanLimits>> = {
  /** Of one's own service. */
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
  /** Of who has not signed in: one tenant for all of them. */
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

/** What holds for a tenant of a plan, with what it has in place of it. */
export function limitsOf(plan: PlanName, overrides: LimitOverrides): PlanLimits {
  const said = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...plans[plan], ...Object.fromEntries(said) };
}

/** The part that each sandbox is told. What has no bound is the service's own. */
export function sandboxPart(all: PlanLimits): z.output<typeof givenLimits> {
  const names = Object.keys(givenLimits.shape);
  const told = Object.entries(all).filter(([name, value]) => names.includes(name) && value !== null);
  return givenLimits.parse(Object.fromEntries(told));
}
