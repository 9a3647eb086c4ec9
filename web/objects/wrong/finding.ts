// What is the matter with an object, as a sentence: what it is made of, and what it is made from.
import type { Event, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";

export interface Finding {
  /** `bad` wants somebody, `busy` is on its way, `idle` is meant so. */
  readonly tone: "bad" | "busy" | "idle";
  readonly text: string;
  /** What to do or to look at next; "" where there is nothing to say. */
  readonly next: string;
}

/** What stands around an object, as far as it is known. */
export interface Around {
  /** Of the object itself, the newest first. */
  readonly events: readonly Event[];
  /** Those it runs or sends to. */
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
  return conditions?.find((one) => one.type === type);
}

/** With a full stop, and without white space around it. */
export function ended(text: string): string {
  const plain = text.trim();
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}

/** The newest warning, of these reasons if any are named. */
export function warning(events: readonly Event[], ...reasons: readonly string[]): Event | undefined {
  return events.find(
    ({ type, reason = "" }) => type === "Warning" && (reasons.length === 0 || reasons.includes(reason)),
  );
}
