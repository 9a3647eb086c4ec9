// The order of API groups and versions in discovery: upstream's group priorities, then names.
import { compareVersions } from "../../../shared/k8s/versions.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { ApiResource } from "./resources.ts";

export interface VersionKinds {
  readonly version: string;
  /** The kinds by plural name. */
  readonly kinds: readonly Kind[];
  /** Set if an aggregated server serves the version. */
  readonly remote?: RemoteVersion;
}

/** A group version of an aggregated server. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: readonly ApiResource[];
  /** Whether the server cannot be reached, so that its last response is used. */
  readonly isStale: boolean;
}

export interface Group {
  readonly name: string;
  /** The versions, preferred first. */
  readonly versions: readonly VersionKinds[];
}

/** The priorities of built-in groups. Custom groups have 1000. */
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

/** Returns the groups of kinds in discovery order, the core group first. */
export function groupsOf(kinds: readonly Kind[], remote: readonly RemoteVersion[] = []): Group[] {
  const names = [...new Set([...kinds, ...remote].map(({ group }) => group))];
  const priority = new Map(remote.map(({ group, groupPriority }) => [group, groupPriority]));
  const of = (group: string) => priorities[group] ?? priority.get(group) ?? 1000;
  return names
    .sort((a, b) => of(b) - of(a) || compare(a, b))
    .map((name) => {
      const remoteVersions = remote.filter(({ group }) => group === name);
      const localKinds = kinds.filter(
        (kind) => kind.group === name && !remoteVersions.some((candidate) => candidate.version === kind.version),
      );
      return {
        name,
        versions: [...localVersions(localKinds), ...remoteVersions.map(remoteVersion)].sort(byVersion(remoteVersions)),
      };
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

/** Compares versions by the priorities of their APIServices. A version of a CustomResourceDefinition has 100. */
function byVersion(remoteVersions: readonly RemoteVersion[]) {
  const priority = new Map(remoteVersions.map(({ version, versionPriority }) => [version, versionPriority]));
  return ({ version: a }: VersionKinds, { version: b }: VersionKinds) =>
    (priority.get(b) ?? 100) - (priority.get(a) ?? 100) || compareVersions(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
