// A golden story: the timeline of a cluster, with what changes outside of statuses where a test shows it.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { TestCluster } from "../cluster.ts";
import { timeline } from "./timeline.ts";

export interface Telling {
  /** Those whose objects are told of; "" stands for what has none. */
  readonly namespaces?: readonly string[];
  /** What of an object is told whenever it changes, other than its status. */
  readonly shown?: (object: KubeObject) => string;
}

/** What happens; the parts of names that follow from uids are left out. */
export function story(
  cluster: TestCluster,
  happen: (step: (ms?: number) => void) => void,
  { namespaces = ["", "default"], shown = () => "" }: Telling = {},
): string[] {
  const from = cluster.registry.store.revision;
  const step = (ms = 60_000) => cluster.step(ms);
  happen(step);
  step();
  const lines = cluster.changes.flatMap((change) => {
    const told = timeline({ ...cluster, changes: [change] }, from, namespaces);
    const { object, previous, type, name, namespace, resource, revision } = change;
    if (resource === "events" && type === "DELETED") return told.map((line) => `${line} (gone)`);
    if (revision <= from || type === "DELETED" || !namespaces.includes(namespace)) return told;
    const text = shown(object);
    if (text === (previous ? shown(previous) : "")) return told;
    return [...told, `${object.kind ?? ""} ${name} has ${text || "nothing"}`];
  });
  return lines
    .map((line) => line.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "#"))
    .map((line) => line.replace(/-[bcdfghjklmnpqrstvwxz2456789]{5} has /, "-? has "));
}

/** The same without what is tried again, and with nothing shown beside the timeline. */
export function brief(cluster: TestCluster, happen: (step: () => void) => void): string[] {
  const from = cluster.registry.store.revision;
  happen(() => cluster.step(60_000));
  cluster.step(60_000);
  const lines = timeline(cluster, from, ["", "default"]).filter((line) => !/^Warning \S+ \(x/.test(line));
  return lines.map((line) =>
    line.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "#").replaceAll(/csi-[0-9a-f]{64}/g, "csi-#"),
  );
}
