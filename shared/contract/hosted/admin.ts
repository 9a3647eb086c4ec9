// The control API for who runs the service: `/v1/admin`, asked with the operator's key.
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { auditEntry } from "../control-audit.ts";
import { limitOverrides, planLimits, planNames } from "./plan.ts";

export const tenantFacts = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  plan: z.enum(planNames),
  /** What it has in place of the plan's. */
  overrides: limitOverrides,
  /** Why it is refused; absent: it is not. */
  suspended: z.string().optional(),
});

export type TenantFactsShown = z.infer<typeof tenantFacts>;

/** Query of `GET /v1/admin/tenants`. */
export const tenantQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(limits.tenantPage).default(limits.tenantPage),
  cursor: z
    .string()
    .max(limits.sandboxNameCharacters)
    .regex(/^[-_a-z0-9]+$/, "is not a cursor")
    .optional()
    .describe("The `nextCursor` of the page before; absent: the first page."),
});

export const operatedTenantList = z.object({ tenants: z.array(tenantFacts), nextCursor: z.string().optional() });

export type OperatedTenantList = z.infer<typeof operatedTenantList>;

/** Answer of `GET /v1/admin/tenants/{tenant}`. */
export const operatedTenant = tenantFacts.extend({
  /** What holds: of the plan and in place of it. */
  limits: planLimits,
  liveSandboxes: z.int(),
  creationsLastHour: z.int(),
  webhooks: z.int(),
  waitingDeliveries: z.int(),
});

export type OperatedTenant = z.infer<typeof operatedTenant>;

/** Body of `PATCH /v1/admin/tenants/{tenant}`: what is to be different. */
export const patchOperatedTenant = z.strictObject({
  /** Null: the service's. */
  plan: z.enum(planNames).nullable().optional(),
  /** All of them: what is not named is the plan's. Sandboxes that are there are told; what they hold past a limit stays. */
  overrides: limitOverrides.optional(),
  /** A sentence for the tenant. Null: it goes on. */
  suspended: z.string().min(1).max(limits.templateTextCharacters).nullable().optional(),
});

export type PatchOperatedTenant = z.output<typeof patchOperatedTenant>;

/** Answer of `POST /v1/admin/tenants/{tenant}/reconcile`: sandboxes that were counted wrongly. */
export const reconciled = z.object({ corrected: z.int() });

/** Body of `POST /v1/admin/secret/move`; it may be left out. */
export const moveSecret = z.strictObject({
  /** The `nextCursor` of the answer before; absent: from the beginning. */
  cursor: z.string().max(2_000).optional(),
});

const linksLeft = z.object({ count: z.int(), lastEndsAt: z.iso.datetime().optional() });

/** Answer of it. */
export const secretMove = z.object({
  /** How many values of the secret the service has: 2 while the earlier one is accepted. */
  values: z.int(),
  /** What this request moved. */
  part: z.enum(["sandboxes", "keys", "files"]),
  moved: z.int(),
  /** What could not be moved: it is logged, and tried again from the beginning. */
  failed: z.int(),
  /** Sandboxes whose tokens follow from another value. */
  sandboxesLeft: z.int(),
  /** Links that were given out before, which end with the earlier value if they have not ended by then. */
  links: z.object({ classes: linksLeft, runs: linksLeft }),
  /** Absent: everything was looked at. */
  nextCursor: z.string().optional(),
});

export type SecretMove = z.infer<typeof secretMove>;

/** Query of `GET /v1/admin/audit`. */
export const operatorsAuditQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(limits.tenantPage).default(limits.tenantPage),
  cursor: z
    .string()
    .regex(/^[0-9a-z]{1,11}$/, "is not a cursor")
    .optional()
    .describe("The `nextCursor` of the page before; absent: the first page."),
});

/** Answer of it: what operators did, of all tenants, the newest first. */
export const operatorsAuditList = z.object({
  entries: z.array(auditEntry.extend({ tenant: z.string() })),
  nextCursor: z.string().optional(),
});

export type OperatorsAuditList = z.infer<typeof operatorsAuditList>;

export const operatedSandbox = z.object({
  id: z.string(),
  name: z.string(),
  tenant: z.string(),
  nodes: z.int(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

/** Answer of `GET /v1/admin/tenants/{tenant}/sandboxes`. */
export const operatedSandboxList = z.object({
  sandboxes: z.array(operatedSandbox),
  nextCursor: z.string().optional(),
});

export type OperatedSandboxList = z.infer<typeof operatedSandboxList>;

/** Answer of `GET /v1/admin/sandboxes/{id}/health`: nothing of what is in it. */
export const sandboxHealth = z.object({
  revision: z.int(),
  objects: z.int(),
  /** Of its database. */
  databaseBytes: z.int(),
  watches: z.int(),
  /** Requests that controllers wait to look at, those of later among them. */
  queued: z.int(),
  /** When its alarm is due. */
  dueAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  suspended: z.boolean(),
  /** Workloads that are not available. */
  notReady: z.int(),
});

export type SandboxHealth = z.infer<typeof sandboxHealth>;
