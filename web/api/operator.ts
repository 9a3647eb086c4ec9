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
import { asking, sending, type UsageQuestion, usageQuery } from "./control.ts";
import { ControlFailure } from "./control-failure.ts";
import { texts as all } from "../messages/service.ts";

const texts = all.operator;

export type Operator = ReturnType<typeof operatorWith>;

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

function operatorWith(key: string) {
  const ask = asking(key, signOutOperator);
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(`/v1/admin${path}`, init)).json()) as T;
  const at = (cursor: string | undefined) => (cursor ? `?cursor=${encodeURIComponent(cursor)}` : "");
  const of = (id: string) => `/tenants/${encodeURIComponent(id)}`;
  return {
    tenants: (cursor?: string) => json<OperatedTenantList>(`/tenants${at(cursor)}`),
    tenant: (id: string) => json<OperatedTenant>(of(id)),
    change: (id: string, change: PatchOperatedTenant) => json<OperatedTenant>(of(id), sending("PATCH", change)),
    usage: (id: string, query: UsageQuestion) => json<Usage>(`${of(id)}/usage${usageQuery(query)}`),
    sandboxes: (id: string, cursor?: string) => json<OperatedSandboxList>(`${of(id)}/sandboxes${at(cursor)}`),
    health: (sandbox: string) => json<SandboxHealth>(`/sandboxes/${encodeURIComponent(sandbox)}/health`),
    /** Recounts the sandboxes of a tenant, and returns the number of corrected counts. */
    reconcile: (id: string) => json<{ readonly corrected: number }>(`${of(id)}/reconcile`, { method: "POST" }),
    audit: (cursor?: string) => json<OperatorsAuditList>(`/audit${at(cursor)}`),
    /** Reads the metrics in Prometheus' text format. */
    metrics: async () => (await ask("/metrics")).text(),
  };
}

function wrongKey(): Error {
  return new Error(texts.wrongKey);
}
