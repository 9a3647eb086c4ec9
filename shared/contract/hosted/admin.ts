// The control API of the operator: `/v1/admin`, with the operator's key.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { identityLimits } from "../../base/request-limits.ts";
import { auditEntry } from "../control-audit.ts";
import { creationFields } from "../sandbox.ts";
import { name } from "../sandbox-fields.ts";
import { title } from "../title.ts";
import { email } from "./identity.ts";
import { limitOverrides, planLimits, planNames } from "./plan.ts";
import { role } from "./scope-schema.ts";
import { usage, usageQuery } from "./usage.ts";

export const tenantFacts = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  plan: z.enum(planNames),
  /** The limits that replace those of the plan. */
  overrides: limitOverrides,
  /** The reason of a suspension. Absent if the tenant is not suspended. */
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

/** Response of `GET /v1/admin/tenants/{tenant}`. */
export const operatedTenant = tenantFacts.extend({
  /** The effective limits. */
  limits: planLimits,
  liveSandboxes: z.int(),
  creationsLastHour: z.int(),
  webhooks: z.int(),
  waitingDeliveries: z.int(),
});

export type OperatedTenant = z.infer<typeof operatedTenant>;

const newTenant = {
  /** The id, which never changes. */
  id: name,
  /** Absent: the id. */
  name: title.optional(),
  plan: z.enum(planNames).optional(),
  overrides: limitOverrides.optional(),
};

/** Body of `POST /v1/admin/tenants`. */
export const createOperatedTenant = z.strictObject({
  ...newTenant,
  /** True for a key with all scopes. */
  key: z.boolean().default(false),
});

export type CreateOperatedTenant = z.input<typeof createOperatedTenant>;

/** Response of `POST /v1/admin/tenants` with status 201. The key is returned only once. */
export const createdTenant = tenantFacts.extend({ key: z.string().optional() });

export type CreatedTenant = z.infer<typeof createdTenant>;

const importedTenant = z.strictObject({
  ...newTenant,
  /** The people who get an invitation, by e-mail if the service sends any. */
  members: z
    .array(z.strictObject({ email, role: role.default("member") }))
    .max(identityLimits.importMembers)
    .default([]),
  /** The sandboxes to create, each with a name and without a snapshot, a template or an import. */
  sandboxes: z
    .array(creationFields.omit({ snapshot: true, template: true, import: true }).extend({ name }))
    .max(identityLimits.importSandboxes)
    .default([]),
});

/** Body of `POST /v1/admin/import`. */
export const importTenants = z
  .strictObject({ tenants: z.array(importedTenant).min(1).max(identityLimits.importTenants) })
  .superRefine(({ tenants }, context) => {
    const most = { members: identityLimits.importMembers, sandboxes: identityLimits.importSandboxes };
    for (const [kind, limit] of Object.entries(most)) {
      const count = tenants.reduce((sum, tenant) => sum + tenant[kind as keyof typeof most].length, 0);
      if (count <= limit) continue;
      context.addIssue({ code: "custom", path: ["tenants"], message: `must have at most ${limit} ${kind} together` });
    }
  });

export type ImportTenants = z.input<typeof importTenants>;

const outcome = {
  /** `exists`: nothing was done; `failed`: `error` says why. */
  outcome: z.enum(["created", "exists", "failed"]),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
};

/** Response of `POST /v1/admin/import`: an outcome for each entry, in the order of the request. */
export const importedTenants = z.object({
  tenants: z.array(
    z.object({
      id: z.string(),
      ...outcome,
      members: z.array(z.object({ email: z.string(), ...outcome, url: z.url().optional() })),
      sandboxes: z.array(z.object({ name: z.string(), ...outcome, id: z.string().optional() })),
    }),
  ),
});

export type ImportedTenants = z.infer<typeof importedTenants>;

/** Query of `GET /v1/admin/usage`; days are in UTC. */
export const serviceUsageQuery = usageQuery.omit({ by: true });

/** Response of `GET /v1/admin/usage`: the usage of each tenant and day, as far as the scheduled run has stored it. */
export const serviceUsage = usage
  .omit({ rows: true })
  .extend({ rows: z.array(usage.shape.rows.element.omit({ sandbox: true }).extend({ tenant: z.string() })) });

export type ServiceUsage = z.infer<typeof serviceUsage>;

/** Body of `PATCH /v1/admin/tenants/{tenant}`: the fields to change. */
export const patchOperatedTenant = z.strictObject({
  /** The plan; null for the service's. */
  plan: z.enum(planNames).nullable().optional(),
  /** The complete overrides: missing limits are the plan's. Existing sandboxes are informed; objects beyond a limit stay. */
  overrides: limitOverrides.optional(),
  /** The reason of the suspension, a sentence for the tenant. Null ends it. */
  suspended: z.string().min(1).max(limits.templateTextCharacters).nullable().optional(),
});

export type PatchOperatedTenant = z.output<typeof patchOperatedTenant>;

/** Response of `POST /v1/admin/tenants/{tenant}/reconcile`: the number of sandboxes that were counted wrongly. */
export const reconciled = z.object({ corrected: z.int() });

/** Optional body of `POST /v1/admin/secret/move`. */
export const moveSecret = z.strictObject({
  /** The `nextCursor` of the previous response. Absent at the beginning. */
  cursor: z.string().max(2_000).optional(),
});

const linksLeft = z.object({ count: z.int(), lastEndsAt: z.iso.datetime().optional() });

/** Response of `POST /v1/admin/secret/move`. */
export const secretMove = z.object({
  /** The number of values of the secret: 2 while the earlier one is accepted. */
  values: z.int(),
  /** The kind of data that this request moved. */
  part: z.enum(["sandboxes", "keys", "files"]),
  moved: z.int(),
  /** The number of failures, which are logged and retried from the beginning. */
  failed: z.int(),
  /** The number of sandboxes whose tokens are derived from another value. */
  sandboxesLeft: z.int(),
  /** The links that were created before. They end with the earlier value unless they expire before. */
  links: z.object({ classes: linksLeft, runs: linksLeft }),
  /** Absent if everything was processed. */
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

/** Response of `GET /v1/admin/audit`: the operator's actions for all tenants, the newest first. */
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

/** Response of `GET /v1/admin/tenants/{tenant}/sandboxes`. */
export const operatedSandboxList = z.object({
  sandboxes: z.array(operatedSandbox),
  nextCursor: z.string().optional(),
});

export type OperatedSandboxList = z.infer<typeof operatedSandboxList>;

/** Response of `GET /v1/admin/sandboxes/{id}/health`, without the sandbox's content. */
export const sandboxHealth = z.object({
  revision: z.int(),
  objects: z.int(),
  databaseBytes: z.int(),
  watches: z.int(),
  /** The number of queued reconcile requests, including delayed ones. */
  queued: z.int(),
  /** The time of its alarm. */
  dueAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  suspended: z.boolean(),
  /** The number of workloads that are not available. */
  notReady: z.int(),
});

export type SandboxHealth = z.infer<typeof sandboxHealth>;
