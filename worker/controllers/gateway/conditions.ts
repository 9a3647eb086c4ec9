// Builds the conditions of Gateway API objects, and writes their status.
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

/** Returns the conditions with their transition times. */
export function conditionsOf(
  nextConditions: readonly Told[],
  before: unknown,
  generation: number,
  nowMs: number,
): Condition[] {
  const previous = Array.isArray(before) ? (before as readonly Partial<Condition>[]) : [];
  return nextConditions.map(({ type, isTrue, reason, message }) => {
    const status = isTrue ? "True" : "False";
    const same = previous.find(
      (candidate) => candidate.type === type && candidate.status === status,
    )?.lastTransitionTime;
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
