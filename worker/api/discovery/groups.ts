// The order of API groups and versions in discovery: upstream's group priorities, then the names.
import { compareVersions } from "../../../shared/k8s/versions.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { ApiResource } from "./resources.ts";

export interface VersionKinds {
  readonly version: string;
  /** By plural name. */
  readonly kinds: readonly Kind[];
  /** Served by someone else. */
  readonly remote?: RemoteVersion;
}

/** A version of a group whose server is not this one. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: readonly ApiResource[];
  /** Its server cannot be reached: this is what it served when it could. */
  readonly isStale: boolean;
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
export function groupsOf(kinds: readonly Kind[], remote: readonly RemoteVersion[] = []): Group[] {
  const names = [...new Set([...kinds, ...remote].map(({ group }) => group))];
  const priority = new Map(remote.map(({ group, groupPriority }) => [group, groupPriority]));
  const of = (group: string) => priorities[group] ?? priority.get(group) ?? 1000;
  return names
    .sort((a, b) => of(b) - of(a) || compare(a, b))
    .map((name) => {
      const others = remote.filter(({ group }) => group === name);
      const own = kinds.filter((kind) => kind.group === name && !others.some((one) => one.version === kind.version));
      return { name, versions: [...localVersions(own), ...others.map(remoteVersion)].sort(byVersion(others)) };
    });
}

function localVersions(members: readonly Kind[]): VersionKinds[] {
  const versions = [...new Set(members.map((kind) => kind.version))];
  return versions.map((version) => ({
    version,
    kinds: members.filter((kind) => kind.version === version).sort((a, b) => compare(a.plural, b.plural)),
  }));
}

function remoteVersion(remote: RemoteVersion): VersionKinds {
  return { version: remote.version, kinds: [], remote };
}

/** By the priorities that APIServices give, where they differ; a version of a definition has 100. */
function byVersion(others: readonly RemoteVersion[]) {
  const priority = new Map(others.map(({ version, versionPriority }) => [version, versionPriority]));
  return ({ version: a }: VersionKinds, { version: b }: VersionKinds) =>
    (priority.get(b) ?? 100) - (priority.get(a) ?? 100) || compareVersions(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
