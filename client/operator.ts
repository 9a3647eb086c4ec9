// What who runs the service asks of the control API, with the operator's key.
import type { Ask, Page } from "./ask.ts";
import type * as T from "./types.ts";

const tenants = "/v1/admin/tenants";

export class Operator {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async metrics(): Promise<string> {
    return (await this.#ask("/metrics")).text();
  }

  listOperatedTenants(page: Page = {}): Promise<T.OperatedTenantList> {
    return this.#json(tenants, { ...page });
  }

  getOperatedTenant(tenant: string): Promise<T.OperatedTenant> {
    return this.#json(below(tenants, tenant));
  }

  changeOperatedTenant(tenant: string, change: T.PatchOperatedTenant): Promise<T.OperatedTenant> {
    return this.#patch(below(tenants, tenant), change);
  }

  getTenantUsage(tenant: string, query: T.UsageQuery = {}): Promise<T.Usage> {
    return this.#json(below(tenants, tenant, "usage"), { ...query });
  }

  listTenantSandboxes(tenant: string, page: Page = {}): Promise<T.OperatedSandboxList> {
    return this.#json(below(tenants, tenant, "sandboxes"), { ...page });
  }

  reconcileTenant(tenant: string): Promise<T.Reconciled> {
    return this.#post(below(tenants, tenant, "reconcile"));
  }

  /** What operators did, of all tenants: the newest first, a page at a time. */
  listOperatorsAudit(page: Page = {}): Promise<T.OperatorsAuditList> {
    return this.#json("/v1/admin/audit", { ...page });
  }

  /** One who asked for it. */
  deletePerson(person: string): Promise<void> {
    return this.#delete(below("/v1/admin/people", person));
  }

  getSandboxHealth(id: string): Promise<T.SandboxHealth> {
    return this.#json(below("/v1/admin/sandboxes", id, "health"));
  }

  // The service answers what its contract says.
  async #json<A>(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): Promise<A> {
    return (await this.#ask(path, { query })).json() as Promise<A>;
  }

  async #patch<A>(path: string, body: unknown): Promise<A> {
    return (await this.#ask(path, { method: "PATCH", body })).json() as Promise<A>;
  }

  async #post<A>(path: string): Promise<A> {
    return (await this.#ask(path, { method: "POST", body: {} })).json() as Promise<A>;
  }

  async #delete(path: string): Promise<void> {
    await this.#ask(path, { method: "DELETE" });
  }
}

function below(path: string, ...parts: string[]): string {
  return [path, ...parts.map(encodeURIComponent)].join("/");
}
