// The versions of a sandbox's nodes beside that of its API server, which they follow after an upgrade.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import {
  type KubernetesVersion,
  releaseOf,
  releaseOfTag,
  supportedVersions,
} from "../../shared/k8s/settings/release.ts";

/** Returns the version to which a sandbox can be upgraded. Undefined if it has the newest. */
export function nextVersion(version: KubernetesVersion): KubernetesVersion | undefined {
  return supportedVersions[supportedVersions.indexOf(version) + 1];
}

/** Counts the nodes that have the version, and those that have an older one and will follow. Machines keep the version that they bring. */
export function nodeVersions(nodes: readonly Node[], version: KubernetesVersion) {
  const minors = nodes.map(({ status }) => releaseOfTag(status?.nodeInfo?.kubeletVersion)?.minor);
  const { minor } = releaseOf(version);
  return {
    upgraded: minors.filter((nodeMinor) => nodeMinor === minor).length,
    older: minors.filter((nodeMinor) => nodeMinor !== undefined && nodeMinor < minor).length,
  };
}
