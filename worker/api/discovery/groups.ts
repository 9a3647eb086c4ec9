// The order of API groups and versions in discovery: upstream's group priorities, then the names.
import { compareVersions } from "../../../shared/k8s/versions.ts";
import type { Kind } from "../../kinds/kind.ts";

export interface VersionKinds {
  readonly version: string;
  /** By plural name. */
  readonly kinds: readonly Kind[];
}

export interface Group {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly VersionKinds[];
}

/** Priority of a group; groups of custom resources have 1000. */
const priorities: Readonly<Record<string, number>> = {
  "apiregistration.k8s.io": 20000,
  "": 18000,
  apps: 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  policy: 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "apiextensions.k8s.io": 16700,
  "admissionregistration.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "resource.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
  "internal.apiserver.k8s.io": 16000,
  "storagemigration.k8s.io": 15800,
};

/** The groups of these kinds in discovery order, the core group first. */
export function groupsOf(kinds: readonly Kind[]): Group[] {
  const names = [...new Set(kinds.map((kind) => kind.group))];
  return names.sort(byPriority).map((name) => {
    const members = kinds.filter((kind) => kind.group === name);
    const versions = [...new Set(members.map((kind) => kind.version))].sort(compareVersions);
    return {
      name,
      versions: versions.map((version) => ({
        version,
        kinds: members.filter((kind) => kind.version === version).sort((a, b) => compare(a.plural, b.plural)),
      })),
    };
  });
}

function byPriority(a: string, b: string): number {
  return (priorities[b] ?? 1000) - (priorities[a] ?? 1000) || compare(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
