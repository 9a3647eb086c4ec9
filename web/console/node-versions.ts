// The versions of a sandbox's nodes beside that of its API server, which they follow after an upgrade.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import { type KubernetesVersion, releaseOf, releaseOfTag } from "../../shared/k8s/settings/release.ts";

/** Counts the nodes that have the version, and those that have an older one and will follow. Machines keep the version that they bring. */
export function nodeVersions(nodes: readonly Node[], version: KubernetesVersion) {
  const minors = nodes.map(({ status }) => releaseOfTag(status?.nodeInfo?.kubeletVersion)?.minor);
  const { minor } = releaseOf(version);
  return {
    upgraded: minors.filter((nodeMinor) => nodeMinor === minor).length,
    older: minors.filter((nodeMinor) => nodeMinor !== undefined && nodeMinor < minor).length,
  };
}
