// The context in which the reasons of an object are determined.
import type { Reason } from "../../../../../shared/contract/cluster/past.ts";
import { limits } from "../../../../../shared/base/limits.ts";
import type { Event, Pod } from "../../../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../../../shared/k8s/meta.ts";
import { events } from "../../../../kinds/core/event/event.ts";
import type { Kind } from "../../../../kinds/kind.ts";
import type { Client } from "../../../../registry/client.ts";
import type { Explanation } from "../../../../scheduler/explain.ts";

export interface WhyContext {
  readonly client: Client;
  /** Undefined if no scheduler runs. */
  scheduling(pod: Pod): Explanation | undefined;
  /** Returns why an object is as it is; its own reasons are left out below a depth. */
  of(kind: Kind, object: KubeObject): Reason;
}

export type Explain<T extends KubeObject = KubeObject> = (object: T, context: WhyContext) => Omit<Reason, "what">;

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export function nameOf({ metadata: { namespace, name = "" } }: KubeObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Returns the command that shows an object. */
export function describe(kind: Pick<Kind, "plural" | "group" | "custom">, { metadata }: KubeObject): string {
  const resource = kind.custom ? `${kind.plural}.${kind.group}` : kind.plural;
  return `kubectl describe ${resource} ${metadata.name}${metadata.namespace ? ` -n ${metadata.namespace}` : ""}`;
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns the message of a condition, or its reason where it has none. */
export function textOf({ reason, message, type }: Condition): string {
  return message || reason || type;
}

/** Returns the last warnings about an object, the newest first. */
export function warningsOf({ client }: WhyContext, { metadata }: KubeObject): Reason[] {
  const { namespace = "", name = "", uid } = metadata;
  const about = client
    .beginningWith<Event>(events, namespace || "default", `${name}.`)
    .filter((event) => event.involvedObject.uid === uid && event.type === "Warning");
  about.sort((a, b) => Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion));
  return about.slice(0, 3).map(({ reason = "", message = "", count = 1 }) => ({
    what: `event ${reason}`,
    state: "fails",
    because: count > 1 ? `${message} (${count} times)` : message,
    see: `kubectl events -n ${namespace || "default"}`,
  }));
}

/** Returns the reasons of those objects that are not as they should be, a bounded number of them. */
export function troublesOf(context: WhyContext, kind: Kind, objects: readonly KubeObject[]): Reason[] {
  const reasons: Reason[] = [];
  for (const object of objects) {
    if (reasons.length === limits.whyReasons) break;
    const reason = context.of(kind, object);
    if (reason.state !== "fine") reasons.push(reason);
  }
  return reasons;
}
