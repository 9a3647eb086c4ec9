// A golden story: the timeline of a cluster, with changes outside of statuses if a test includes them.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { TestCluster } from "../cluster.ts";
import { timeline } from "./timeline.ts";

export interface Telling {
  /** The included namespaces. "" stands for cluster-scoped objects. */
  readonly namespaces?: readonly string[];
  /** Describes an object whenever it changes, beyond its status. */
  readonly describe?: (object: KubeObject) => string;
}

/** Returns the timeline of changes. Parts of names that depend on uids are left out. */
export function story(
  cluster: TestCluster,
  happen: (step: (ms?: number) => void) => void,
  { namespaces = ["", "default"], describe = () => "" }: Telling = {},
): string[] {
  const from = cluster.registry.store.revision;
  const step = (ms = 60_000) => cluster.step(ms);
  happen(step);
  step();
  const lines = cluster.changes.flatMap((change) => {
    const timelineLines = timeline({ ...cluster, changes: [change] }, from, namespaces);
    const { object, previous, type, name, namespace, resource, revision } = change;
    if (resource === "events" && type === "DELETED") return timelineLines.map((line) => `${line} (gone)`);
    if (revision <= from || type === "DELETED" || !namespaces.includes(namespace)) return timelineLines;
    const text = describe(object);
    if (text === (previous ? describe(previous) : "")) return timelineLines;
    return [...timelineLines, `${object.kind ?? ""} ${name} has ${text || "nothing"}`];
  });
  return lines
    .map((line) => line.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "#"))
    .map((line) => line.replace(/-[bcdfghjklmnpqrstvwxz2456789]{5} has /, "-? has "));
}

/** Returns the timeline without retries and descriptions. */
export function brief(cluster: TestCluster, happen: (step: () => void) => void): string[] {
  const from = cluster.registry.store.revision;
  happen(() => cluster.step(60_000));
  cluster.step(60_000);
  const lines = timeline(cluster, from, ["", "default"]).filter((line) => !/^Warning \S+ \(x/.test(line));
  return lines.map((line) =>
    line.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "#").replaceAll(/csi-[0-9a-f]{64}/g, "csi-#"),
  );
}
