// The diagnosis of an object as a sentence, and the data that it is derived from.
import type { Event, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";

export interface Finding {
  /** The severity: `bad` needs attention, `busy` is in progress, `idle` is intended. */
  readonly tone: "bad" | "busy" | "idle";
  readonly text: string;
  /** The suggested next step, or empty. */
  readonly next: string;
}

/** The known context of an object. */
export interface DiagnosisContext {
  /** The events of the object, newest first. */
  readonly events: readonly Event[];
  /** The pods that it runs or sends traffic to. */
  readonly pods: readonly Pod[];
  readonly eventsOf: (pod: Pod) => readonly Event[];
  readonly services: readonly Service[];
  readonly jobs: readonly Job[];
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export function finding(tone: Finding["tone"], text: string, next = ""): Finding {
  return { tone, text: ended(text), next };
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Adds a full stop, and removes surrounding white space. */
export function ended(text: string): string {
  const plain = text.trim();
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}

/** Returns the newest warning, limited to `reasons` if there are any. */
export function warning(events: readonly Event[], ...reasons: readonly string[]): Event | undefined {
  return events.find(
    ({ type, reason = "" }) => type === "Warning" && (reasons.length === 0 || reasons.includes(reason)),
  );
}
