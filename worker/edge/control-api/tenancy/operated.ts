// Tenants and sandboxes that the operator creates and deletes: one at a time, or by an import.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import type {
  createOperatedTenant,
  CreatedTenant,
  ImportedTenants,
  importTenants,
} from "../../../../shared/contract/hosted/admin.ts";
import type { SandboxOptions } from "../../../../shared/contract/sandbox.ts";
import type { Role } from "../../../../shared/contract/scope.ts";
import { hashOf, randomText } from "../../mac.ts";
import { nobody } from "../access/caller.ts";
import { inviteTo } from "../access/members.ts";
import { deleteTenant } from "../access/tenant.ts";
import { ControlError } from "../control-error.ts";
import { deleteSandbox, makeSandbox, requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { describeTenant, requireTenant } from "./admin.ts";

type NewTenant = Omit<z.output<typeof createOperatedTenant>, "key">;

/** Returns the service with the audit log of a tenant that the path of the request does not name. */
function operating(controlApi: ControlApiServer, tenantId: string): ControlApiServer {
  const { auditContext } = controlApi;
  if (!auditContext) return controlApi;
  const context = { ...auditContext, tenantId };
  return { ...controlApi, ...controlApi.auditing(context), auditContext: context };
}

export async function createTenant(
  controlApi: ControlApiServer,
  { key, ...tenant }: z.output<typeof createOperatedTenant>,
): Promise<CreatedTenant> {
  await requireFreeSpace(controlApi);
  const service = operating(controlApi, tenant.id);
  if (!(await addTenant(service, tenant)))
    throw new ControlError(409, "tenant_exists", `there is an organisation with the id ${tenant.id}`, "id");
  const described = await describeTenant(service, tenant.id);
  return key ? { ...described, key: await newKey(service, tenant.id) } : described;
}

/** Returns false if the id is taken. */
async function addTenant(service: ControlApiServer, { id, name = id, plan, overrides }: NewTenant): Promise<boolean> {
  if (!(await service.tenants.create({ id, name, createdAtMs: service.nowMs() }))) return false;
  const standing = { ...(plan === undefined ? {} : { plan }), ...(overrides === undefined ? {} : { overrides }) };
  if (Object.keys(standing).length > 0) await service.plans.set(id, standing);
  return true;
}

async function newKey(service: ControlApiServer, tenantId: string): Promise<string> {
  const key = `sbk_${randomText(48)}`;
  const row = { hash: await hashOf(key), tenantId, createdAtMs: service.nowMs(), name: "operator" };
  await service.keys.add({ ...row, scopes: null, expiresAtMs: null, personId: null }, limits.keys);
  return key;
}

export async function deleteOperatedTenant(controlApi: ControlApiServer, tenantId: string): Promise<void> {
  await requireTenant(controlApi, tenantId);
  await deleteTenant(controlApi, tenantId);
}

/** Deletes a sandbox of any tenant. */
export async function deleteAnySandbox(controlApi: ControlApiServer, id: string): Promise<void> {
  const tenantId = await controlApi.directory.tenantOf(id);
  if (tenantId === undefined) throw new ControlError(404, "not_found", "there is no such sandbox");
  await deleteSandbox(operating(controlApi, tenantId), tenantId, id);
}

type Imported = z.output<typeof importTenants>["tenants"][number];
type Outcome = Pick<ImportedTenants["tenants"][number], "outcome" | "error">;

/** Imports tenants one after the other. Existing tenants, members and sandboxes are kept, so the same import can be repeated
 * while its invitations are valid: nobody is invited twice. */
export async function importAll(
  controlApi: ControlApiServer,
  { tenants }: z.output<typeof importTenants>,
): Promise<ImportedTenants> {
  await requireFreeSpace(controlApi);
  const imported: ImportedTenants["tenants"] = [];
  for (const tenant of tenants) imported.push(await importTenant(operating(controlApi, tenant.id), tenant));
  return { tenants: imported };
}

async function importTenant(service: ControlApiServer, tenant: Imported): Promise<ImportedTenants["tenants"][number]> {
  const { id, members, sandboxes } = tenant;
  const outcome = await attempt(async () => {
    if (await addTenant(service, tenant)) return true;
    if (await service.tenants.find(id)) return false;
    throw new ControlError(409, "tenant_exists", `the organisation ${id} is being deleted`);
  });
  const described: ImportedTenants["tenants"][number] = { id, ...outcome, members: [], sandboxes: [] };
  if (outcome.outcome === "failed") return described;
  const invited = new Set(await service.members.invitedAddresses(id, service.nowMs()));
  for (const { email, role } of members)
    described.members.push(await importMember(service, id, { email, role, invited }));
  for (const sandbox of sandboxes) described.sandboxes.push(await importSandbox(service, id, sandbox));
  return described;
}

async function importMember(
  service: ControlApiServer,
  tenantId: string,
  { email, role, invited }: { readonly email: string; readonly role: Role; readonly invited: Set<string> },
) {
  let url = "";
  const outcome = await attempt(async () => {
    if (invited.has(email) || (await service.identity.findManaged(tenantId, "email", email.toLowerCase())))
      return false;
    invited.add(email);
    const tenant = await service.tenants.find(tenantId);
    const caller = {
      ...nobody,
      tenantId,
      tenantName: tenant?.name ?? tenantId,
      by: { ...nobody.by, name: "operator" },
    };
    ({ url } = await inviteTo(service, caller, { role, email, ttlSeconds: limits.invitationTtlSecondsMax }));
    return true;
  });
  return { email, ...outcome, ...(url === "" ? {} : { url }) };
}

async function importSandbox(
  service: ControlApiServer,
  tenantId: string,
  sandbox: Omit<SandboxOptions, "snapshot" | "template" | "import" | "name"> & { readonly name: string },
) {
  const { name } = sandbox;
  let id = "";
  const outcome = await attempt(async () => {
    const [existing] = await service.directory.list(tenantId, service.nowMs(), 1, undefined, { name });
    if (existing) return false;
    ({ id } = (await makeSandbox(service, tenantId, sandbox)).sandbox);
    return true;
  });
  return { name, ...outcome, ...(id === "" ? {} : { id }) };
}

/** Runs a step of an import. An error of the request fails the step and not the import. */
async function attempt(step: () => Promise<boolean>): Promise<Outcome> {
  try {
    return { outcome: (await step()) ? "created" : "exists" };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const { code, message } = error;
    return { outcome: "failed", error: { code, message } };
  }
}
