// The operator's client, with the operator's key. The key is kept for the lifetime of the tab and never leaves this origin.
import { signal } from "@preact/signals";
import type {
  OperatedSandboxList,
  OperatedTenant,
  OperatedTenantList,
  OperatorsAuditList,
  PatchOperatedTenant,
  SandboxHealth,
} from "../../shared/contract/hosted/admin.ts";
import type { Usage } from "../../shared/contract/hosted/usage.ts";
import { asking, ControlFailure, sending, type UsageQuestion, usageQuery } from "./control.ts";
import { texts as all } from "../messages/service.ts";

const texts = all.operator;

export interface Operator {
  tenants(cursor?: string): Promise<OperatedTenantList>;
  tenant(id: string): Promise<OperatedTenant>;
  change(id: string, change: PatchOperatedTenant): Promise<OperatedTenant>;
  usage(id: string, query: UsageQuestion): Promise<Usage>;
  sandboxes(id: string, cursor?: string): Promise<OperatedSandboxList>;
  health(sandbox: string): Promise<SandboxHealth>;
  /** Recounts the sandboxes of a tenant, and returns the number of corrected counts. */
  reconcile(id: string): Promise<{ readonly corrected: number }>;
  audit(cursor?: string): Promise<OperatorsAuditList>;
  /** Reads the metrics in Prometheus' text format. */
  metrics(): Promise<string>;
}

const storageKey = "sandbar.operator";

/** The operator's client. Undefined until an operator's key is entered. */
export const operator = signal<Operator | undefined>(storedOperator());

/** Throws if the key is refused. */
export async function signInOperator(text: string): Promise<void> {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw wrongKey();
  const candidate = operatorWith(key);
  try {
    await candidate.tenants();
  } catch (error) {
    throw error instanceof ControlFailure && error.status === 401 ? wrongKey() : error;
  }
  sessionStorage.setItem(storageKey, key);
  operator.value = candidate;
}

export function signOutOperator(): void {
  sessionStorage.removeItem(storageKey);
  operator.value = undefined;
}

function storedOperator(): Operator | undefined {
  const key = sessionStorage.getItem(storageKey);
  return key === null ? undefined : operatorWith(key);
}

function operatorWith(key: string): Operator {
  const ask = asking(key, signOutOperator);
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(`/v1/admin${path}`, init)).json()) as T;
  const at = (cursor: string | undefined) => (cursor ? `?cursor=${encodeURIComponent(cursor)}` : "");
  const of = (id: string) => `/tenants/${encodeURIComponent(id)}`;
  return {
    tenants: (cursor) => json(`/tenants${at(cursor)}`),
    tenant: (id) => json(of(id)),
    change: (id, change) => json(of(id), sending("PATCH", change)),
    usage: (id, query) => json(`${of(id)}/usage${usageQuery(query)}`),
    sandboxes: (id, cursor) => json(`${of(id)}/sandboxes${at(cursor)}`),
    health: (sandbox) => json(`/sandboxes/${encodeURIComponent(sandbox)}/health`),
    reconcile: (id) => json(`${of(id)}/reconcile`, { method: "POST" }),
    audit: (cursor) => json(`/audit${at(cursor)}`),
    metrics: async () => (await ask("/metrics")).text(),
  };
}

function wrongKey(): Error {
  return new Error(texts.wrongKey);
}
