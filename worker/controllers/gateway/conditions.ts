// Conditions of objects of the Gateway API, and how a status is written.
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";

export interface Told {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** With the time at which each became what it is. */
export function conditionsOf(told: readonly Told[], before: unknown, generation: number, nowMs: number): Condition[] {
  const known = Array.isArray(before) ? (before as readonly Partial<Condition>[]) : [];
  return told.map(({ type, isTrue, reason, message }) => {
    const status = isTrue ? "True" : "False";
    const same = known.find((one) => one.type === type && one.status === status)?.lastTransitionTime;
    const lastTransitionTime = typeof same === "string" ? same : rfc3339(nowMs);
    return { type, status, observedGeneration: generation, lastTransitionTime, reason, message };
  });
}

export type Status = Readonly<Record<string, unknown>>;

export function statusOf(object: KubeObject): Status {
  const { status } = object as { readonly status?: unknown };
  return typeof status === "object" && status !== null ? (status as Status) : {};
}

export function writeStatus(client: Client, kind: Kind, object: KubeObject, status: Status): void {
  if (semanticEqual(statusOf(object), status)) return;
  const draft = { ...object, status };
  client.updateStatus(kind, draft);
}
