// The timeline of a cluster as lines: events, the life of pods, and changes of statuses.
import type { Event, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Change } from "../../worker/store/change.ts";
import { type TestCluster, type TestClusterOptions, quietCluster } from "../cluster.ts";

/** Returns the timeline of namespaces after a revision. Generated suffixes are shown as `?`. */
export function timeline(
  { changes }: TestCluster,
  from: number,
  namespaces: readonly string[] = ["default"],
): string[] {
  return changes
    .filter(({ revision, namespace }) => revision > from && namespaces.includes(namespace))
    .flatMap(lineOf)
    .map((line) => line.replace(/(-\d+)?-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1-?"))
    .map((line) => line.replace(/(Successfully assigned \S+ to) \S+$/, "$1 a node"));
}

function lineOf(change: Change): string[] {
  const { object, previous, type, name, resource } = change;
  if (resource === "events") return [eventLine(object as Event)];
  if (resource === "pods") return podLines(change);
  const short = `${object.kind} ${name}`;
  if (type === "ADDED") return [`${short} made`];
  if (type === "DELETED") return [`${short} gone`];
  const changed = statusChanges(object, previous);
  return changed.length > 0 ? [`${short}: ${changed.join(", ")}`] : [];
}

function eventLine({ type = "", reason = "", message = "", count = 1 }: Event): string {
  return `${type} ${reason}${count > 1 ? ` (x${count})` : ""}: ${message}`;
}

function podLines({ object, previous, type, name }: Change): string[] {
  const [now, before] = [object as Pod, previous as Pod | undefined];
  if (type === "ADDED") return [`Pod ${name} made`];
  if (type === "DELETED") return [`Pod ${name} gone`];
  const lines: string[] = [];
  if (now.spec.nodeName && !before?.spec.nodeName) lines.push("bound");
  if (now.status.phase !== before?.status.phase) lines.push(now.status.phase ?? "");
  if (now.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp) lines.push("terminating");
  const count = (pod: Pod | undefined) => pod?.metadata.finalizers?.length ?? 0;
  if (count(now) < count(before)) lines.push("released");
  return lines.length > 0 ? [`Pod ${name} ${lines.join(", ")}`] : [];
}

/** Returns `field value` for each change, and `-field` for each removal. */
function statusChanges(now: KubeObject, before: KubeObject | undefined): string[] {
  const [next, old] = [statusOf(now), statusOf(before)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((key) => JSON.stringify(next[key]) !== JSON.stringify(old[key]))
    .map((key) => (key in next ? `${key} ${textOf(next[key])}` : `-${key}`));
}

function statusOf(object: KubeObject | undefined): Record<string, unknown> {
  return (object as { status?: Record<string, unknown> } | undefined)?.status ?? {};
}

/** Prints conditions by type and reason, lists and maps by size, and revisions without their hash. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value as { type?: string; reason?: string; status?: string }[];
    const named = items.map(({ type, status, reason }) => (type ? `${type}=${status ?? ""}/${reason ?? ""}` : "item"));
    return `[${named.join(" ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const sizes = Object.entries(value).map(([key, list]) => `${key} ${Array.isArray(list) ? list.length : "1"}`);
    return `{${sizes.join(" ")}}`;
  }
  return String(value).replace(/-[bcdfghjklmnpqrstvwxz2456789]{7,10}$/, "-#");
}

/** Returns an idle cluster, and the revision after which its timeline starts. */
export function atRest(options: TestClusterOptions = {}): { readonly cluster: TestCluster; readonly from: number } {
  const cluster = quietCluster({ nodes: 1, ...options });
  return { cluster, from: cluster.registry.store.revision };
}

export function withoutUid(line: string): string {
  return line.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>");
}
