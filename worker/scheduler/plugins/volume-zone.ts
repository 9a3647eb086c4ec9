// VolumeZone: filters nodes by the zone and region labels of volumes.
import type { PersistentVolume, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { Labels } from "../../../shared/k8s/selectors/labels.ts";
import { classOfClaim } from "../../controllers/common/volumes/matching.ts";
import { claimsOf, namesClaim } from "../../controllers/common/volumes/pod-claims.ts";
import { type Cycle, type Plugin, type Status, unschedulableAndUnresolvable } from "../framework.ts";

const status = unschedulableAndUnresolvable("node(s) had no available volume zone");
/** Each label with its current name. */
const topologyLabels: readonly (readonly [string, string])[] = [
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["topology.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["topology.kubernetes.io/region", "topology.kubernetes.io/region"],
];

interface Topology {
  readonly key: string;
  readonly values: readonly string[];
}

export const volumeZone: Plugin = {
  name: "VolumeZone",
  preFilter(cycle) {
    const topologies = topologiesOf(cycle);
    if ("status" in topologies) return { ...topologies, filter: () => undefined };
    const { all } = topologies;
    if (all.length === 0) return undefined;
    return { filter: ({ facts: { labels } }) => (isReached(all, labels) ? undefined : status) };
  },
  eventsToRegister: [
    "StorageClass/Add",
    "Node/Add",
    "Node/UpdateNodeLabel",
    "PersistentVolumeClaim/Add",
    "PersistentVolumeClaim/Update",
    "PersistentVolume/Add",
    "PersistentVolume/Update",
  ],
  queueingHint({ pod }, change) {
    switch (change.resource) {
      case "StorageClass":
        return change.newObj?.volumeBindingMode === "WaitForFirstConsumer";
      case "PersistentVolumeClaim": {
        const { namespace, name = "" } = change.newObj?.metadata ?? {};
        return namespace === pod.metadata.namespace && namesClaim(pod, name);
      }
      case "PersistentVolume":
        return !change.oldObj || !change.newObj || !semanticEqual(zonesOf(change.oldObj), zonesOf(change.newObj));
      default:
        return true;
    }
  },
};

/** Returns the topologies of the pod's volumes. Claims that wait for the scheduler have none. */
function topologiesOf({ pod, storage }: Cycle): { readonly all: readonly Topology[] } | { readonly status: Status } {
  const all: Topology[] = [];
  for (const name of ownClaims(pod)) {
    const claim = storage.claim(pod.metadata.namespace ?? "", name);
    if (!claim) return refusePod(`persistentvolumeclaim ${JSON.stringify(name)} not found`);
    const { volumeName } = claim.spec;
    if (volumeName) {
      const volume = storage.volume(volumeName);
      if (!volume) return refusePod(`persistentvolume ${JSON.stringify(volumeName)} not found`);
      all.push(...zonesOf(volume));
      continue;
    }
    const className = classOfClaim(claim);
    if (className === "") return refusePod("PersistentVolumeClaim had no pv name and storageClass name");
    const storageClass = storage.storageClass(className);
    if (!storageClass) return refusePod(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
    if (storageClass.volumeBindingMode !== "WaitForFirstConsumer") return refusePod("PersistentVolume had no name");
  }
  return { all };
}

function refusePod(reason: string) {
  return { status: unschedulableAndUnresolvable(reason) };
}

function ownClaims(pod: Pod): readonly string[] {
  return claimsOf(pod)
    .filter(({ isEphemeral }) => !isEphemeral)
    .map(({ name }) => name);
}

/** Returns the zones of a label with several zones: `a__b`. If one is empty, the label is ignored. */
function zonesOf({ metadata }: PersistentVolume): readonly Topology[] {
  return topologyLabels.flatMap(([key]) => {
    const value = metadata.labels?.[key];
    const values = value?.split("__").map((zone) => zone.trim());
    return values && !values.includes("") ? [{ key, values }] : [];
  });
}

/** Reports whether a node can reach the volumes. A node without zone and region labels reaches all. */
function isReached(topologies: readonly Topology[], labels: Labels): boolean {
  if (topologyLabels.every(([key]) => labels[key] === undefined)) return true;
  return topologies.every(({ key, values }) => {
    const replaced = topologyLabels.find(([old]) => old === key)?.[1] ?? key;
    const value = labels[key] ?? labels[replaced];
    return value !== undefined && values.includes(value);
  });
}
