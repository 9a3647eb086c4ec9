// Operations of the service's operator, with the operator's key.
import type { Ask, Page } from "./ask.ts";
import { ServiceCopies } from "./copies.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

const tenants = "/v1/admin/tenants";

export { ServiceCopies };

export class Operator {
  readonly #ask: Ask;
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#api = requestsOf(ask);
  }

  /** Returns whether the parts of the service answer. */
  status(): Promise<T.ServiceStatus> {
    return this.#api.get("/status");
  }

  async metrics(): Promise<string> {
    return (await this.#ask("/metrics")).text();
  }

  listOperatedTenants(page: Page = {}): Promise<T.OperatedTenantList> {
    return this.#api.get(tenants, { ...page });
  }

  /** Creates a tenant, with a key if `key` is true. */
  createOperatedTenant(input: T.CreateOperatedTenant): Promise<T.CreatedTenant> {
    return this.#api.post(tenants, input);
  }

  deleteOperatedTenant(tenant: string): Promise<void> {
    return this.#api.remove(below(tenants, tenant));
  }

  /** Creates tenants with invitations and sandboxes. Existing ones are kept. */
  importTenants(input: T.ImportTenants): Promise<T.ImportedTenants> {
    return this.#api.post("/v1/admin/import", input);
  }

  getServiceUsage(query: Omit<T.UsageQuery, "by"> = {}): Promise<T.ServiceUsage> {
    return this.#api.get("/v1/admin/usage", { ...query });
  }

  /** Returns the usage of all tenants as a table of CSV. */
  async serviceUsageCsv(query: Omit<T.UsageQuery, "by"> = {}): Promise<string> {
    return (await this.#ask("/v1/admin/usage", { query: { ...query, format: "csv" } })).text();
  }

  /** Deletes a sandbox of any tenant. */
  deleteAnySandbox(id: string): Promise<void> {
    return this.#api.remove(below("/v1/admin/sandboxes", id));
  }

  getOperatedTenant(tenant: string): Promise<T.OperatedTenant> {
    return this.#api.get(below(tenants, tenant));
  }

  changeOperatedTenant(tenant: string, change: T.PatchOperatedTenant): Promise<T.OperatedTenant> {
    return this.#api.patch(below(tenants, tenant), change);
  }

  getTenantUsage(tenant: string, query: T.UsageQuery = {}): Promise<T.Usage> {
    return this.#api.get(below(tenants, tenant, "usage"), { ...query });
  }

  listTenantSandboxes(tenant: string, page: Page = {}): Promise<T.OperatedSandboxList> {
    return this.#api.get(below(tenants, tenant, "sandboxes"), { ...page });
  }

  reconcileTenant(tenant: string): Promise<T.Reconciled> {
    return this.#api.post(below(tenants, tenant, "reconcile"));
  }

  /** Re-encrypts a batch of stored data with the current value of the service's secret. */
  moveSecret(input: T.MoveSecret = {}): Promise<T.SecretMove> {
    return this.#api.post("/v1/admin/secret/move", input);
  }

  /** Lists the actions of operators for all tenants, the newest first, a page at a time. */
  listOperatorsAudit(page: Page = {}): Promise<T.OperatorsAuditList> {
    return this.#api.get("/v1/admin/audit", { ...page });
  }

  /** Counts what is stored of an organisation. */
  getStoredData(tenant: string): Promise<T.StoredData> {
    return this.#api.get(below(tenants, tenant, "stored"));
  }

  /** Returns the proof of an organisation's deletion. */
  getDeletionReport(tenant: string): Promise<T.DeletionReport> {
    return this.#api.get(below("/v1/admin/deletions", tenant));
  }

  /** The copies of everything that the service stores. */
  get copies(): ServiceCopies {
    return new ServiceCopies(this.#ask);
  }

  /** Deletes a person at that person's request. */
  deletePerson(person: string): Promise<void> {
    return this.#api.remove(below("/v1/admin/people", person));
  }

  getSandboxHealth(id: string): Promise<T.SandboxHealth> {
    return this.#api.get(below("/v1/admin/sandboxes", id, "health"));
  }
}
