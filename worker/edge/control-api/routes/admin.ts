// Routes of the operator. They need the operator's key and accept no tenant's key.
import {
  createdTenant,
  createOperatedTenant,
  importedTenants,
  importTenants,
  moveSecret as moveOptions,
  operatedSandboxList,
  operatorsAuditList,
  operatorsAuditQuery,
  patchOperatedTenant,
  reconciled,
  secretMove,
  serviceUsage,
  serviceUsageQuery,
  sandboxHealth as healthShape,
  operatedTenant,
  operatedTenantList,
  tenantQuery,
} from "../../../../shared/contract/hosted/admin.ts";
import { listQuery } from "../../../../shared/contract/sandbox.ts";
import { usage, usageQuery } from "../../../../shared/contract/hosted/usage.ts";
import {
  changeOperatedTenant,
  getOperatedTenant,
  listSandboxesOf,
  listOperatedTenants,
  reconcileNow,
  requireTenant,
  sandboxHealth,
} from "../tenancy/admin.ts";
import { json, nothing, text } from "../answers.ts";
import { listOperatorsAudit } from "../access/audit.ts";
import { deletePerson } from "../access/people.ts";
import { moveSecret } from "../tenancy/move-secret.ts";
import { metricsType } from "../../../metrics/text.ts";
import { metricsText } from "../tenancy/metrics.ts";
import { route } from "../route.ts";
import { createTenant, deleteAnySandbox, deleteOperatedTenant, importAll } from "../tenancy/operated.ts";
import { serviceUsageCsv, serviceUsageOf, usageCsv, usageOf, wantsCsv } from "../tenancy/usage.ts";

const csv = "text/csv; charset=UTF-8";

export const adminRoutes = [
  route({
    method: "GET",
    path: "/metrics",
    id: "metrics",
    summary: "Returns figures of the service in the text format of OpenMetrics.",
    access: { kind: "operator" },
    answer: { status: 200, texts: [metricsType] },
    handle: async ({ controlApi }) => text(await metricsText(controlApi), metricsType),
  }),
  route({
    method: "GET",
    path: "/v1/admin/tenants",
    id: "listOperatedTenants",
    summary: "Lists all tenants in the order of their ids, a page at a time.",
    access: { kind: "operator" },
    query: tenantQuery,
    answer: { status: 200, json: operatedTenantList },
    handle: async ({ controlApi, query }) => json(await listOperatedTenants(controlApi, query)),
  }),
  route({
    method: "POST",
    path: "/v1/admin/tenants",
    id: "createOperatedTenant",
    summary: "Creates a tenant with a plan and limits, and a key on request.",
    access: { kind: "operator" },
    body: createOperatedTenant,
    answer: { status: 201, json: createdTenant },
    errors: ["tenant_exists"],
    handle: async ({ controlApi, body }) => json(await createTenant(controlApi, body), 201),
  }),
  route({
    method: "POST",
    path: "/v1/admin/import",
    id: "importTenants",
    summary:
      "Creates tenants with invitations of members and with sandboxes. Existing ones are kept, so the request can be repeated.",
    access: { kind: "operator" },
    body: importTenants,
    answer: { status: 200, json: importedTenants },
    handle: async ({ controlApi, body }) => json(await importAll(controlApi, body)),
  }),
  route({
    method: "GET",
    path: "/v1/admin/usage",
    id: "getServiceUsage",
    summary: "Returns the usage of all tenants by day, as the scheduled run stored it. As CSV it is a table.",
    access: { kind: "operator" },
    query: serviceUsageQuery,
    answer: { status: 200, json: serviceUsage, texts: [csv] },
    errors: ["too_large"],
    handle: async ({ controlApi, query, headers }) => {
      const all = await serviceUsageOf(controlApi, query);
      return wantsCsv(query, headers) ? text(serviceUsageCsv(all), csv) : json(all);
    },
  }),
  route({
    method: "GET",
    path: "/v1/admin/tenants/{tenant}",
    id: "getOperatedTenant",
    version: { apart: ["liveSandboxes", "creationsLastHour", "waitingDeliveries", "webhooks"] },
    summary: "Returns a tenant with its limits and its usage of them.",
    access: { kind: "operator" },
    answer: { status: 200, json: operatedTenant },
    handle: async ({ controlApi, path: { tenant = "" } }) => json(await getOperatedTenant(controlApi, tenant)),
  }),
  route({
    method: "PATCH",
    path: "/v1/admin/tenants/{tenant}",
    id: "changeOperatedTenant",
    summary: "Changes a tenant's plan or limits, suspends it with a message, or resumes it.",
    access: { kind: "operator" },
    body: patchOperatedTenant,
    answer: { status: 200, json: operatedTenant },
    handle: async ({ controlApi, body, path: { tenant = "" } }) =>
      json(await changeOperatedTenant(controlApi, tenant, body)),
  }),
  route({
    method: "DELETE",
    path: "/v1/admin/tenants/{tenant}",
    id: "deleteOperatedTenant",
    summary: "Deletes a tenant with its keys, sandboxes and snapshots. All access ends at once.",
    access: { kind: "operator" },
    answer: { status: 204 },
    handle: async ({ controlApi, path: { tenant = "" } }) => {
      await deleteOperatedTenant(controlApi, tenant);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/admin/tenants/{tenant}/usage",
    id: "getTenantUsage",
    summary: "Returns the usage of a tenant's sandboxes. As CSV it is a table.",
    access: { kind: "operator" },
    query: usageQuery,
    answer: { status: 200, json: usage, texts: [csv] },
    errors: ["too_large"],
    handle: async ({ controlApi, query, headers, path: { tenant = "" } }) => {
      await requireTenant(controlApi, tenant);
      const all = await usageOf(controlApi, tenant, query);
      return wantsCsv(query, headers) ? text(usageCsv(all), csv) : json(all);
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/admin/sandboxes/{id}",
    id: "deleteAnySandbox",
    summary: "Deletes a sandbox of any tenant.",
    access: { kind: "operator" },
    answer: { status: 204 },
    handle: async ({ controlApi, path: { id = "" } }) => {
      await deleteAnySandbox(controlApi, id);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/admin/tenants/{tenant}/sandboxes",
    id: "listTenantSandboxes",
    summary: "Lists a tenant's sandboxes, without their tokens.",
    access: { kind: "operator" },
    query: listQuery,
    answer: { status: 200, json: operatedSandboxList },
    handle: async ({ controlApi, query, path: { tenant = "" } }) =>
      json(await listSandboxesOf(controlApi, tenant, query)),
  }),
  route({
    method: "POST",
    path: "/v1/admin/tenants/{tenant}/reconcile",
    id: "reconcileTenant",
    summary: "Recounts a tenant's sandboxes from the database, as the scheduled run does.",
    access: { kind: "operator" },
    answer: { status: 200, json: reconciled },
    handle: async ({ controlApi, path: { tenant = "" } }) => json(await reconcileNow(controlApi, tenant)),
  }),
  route({
    method: "POST",
    path: "/v1/admin/secret/move",
    id: "moveSecret",
    summary:
      "Moves stored data from a retired secret of the service to the current one, a batch for each request. Repeat with `nextCursor` until there is none.",
    access: { kind: "operator" },
    body: moveOptions,
    answer: { status: 200, json: secretMove },
    handle: async ({ controlApi, body }) => json(await moveSecret(controlApi, body)),
  }),
  route({
    method: "GET",
    path: "/v1/admin/audit",
    id: "listOperatorsAudit",
    summary:
      "Lists the changes that operators made in the last 90 days to tenants that still exist: the newest first, a page at a time.",
    access: { kind: "operator" },
    query: operatorsAuditQuery,
    answer: { status: 200, json: operatorsAuditList },
    handle: async ({ controlApi, query }) => json(await listOperatorsAudit(controlApi, query)),
  }),
  route({
    method: "DELETE",
    path: "/v1/admin/people/{person}",
    id: "deletePerson",
    summary: "Deletes a person on their request, as `DELETE /v1/me` does.",
    access: { kind: "operator" },
    answer: { status: 204 },
    errors: ["last_owner"],
    handle: async ({ controlApi, path: { person = "" } }) => {
      await deletePerson(controlApi, person);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/admin/sandboxes/{id}/health",
    id: "getSandboxHealth",
    summary: "Returns figures of a sandbox, without its contents.",
    access: { kind: "operator" },
    answer: { status: 200, json: healthShape },
    handle: async ({ controlApi, path: { id = "" } }) => json(await sandboxHealth(controlApi, id)),
  }),
];
