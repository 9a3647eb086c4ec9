// The Kubernetes releases that a sandbox can have, and the programs that come with each.

/** The supported minor versions, the oldest first. */
export const supportedVersions = ["1.33", "1.34", "1.35", "1.36"] as const;

export type KubernetesVersion = (typeof supportedVersions)[number];

/** The version of a sandbox that requests none. */
export const newestVersion: KubernetesVersion = "1.36";

/** The version of sandboxes that were created before there was a choice. */
export const firstVersion: KubernetesVersion = "1.36";

export interface Release {
  readonly version: KubernetesVersion;
  readonly minor: number;
  /** The tag of the release, which its kubelets report and its images have: `v1.36.0`. */
  readonly tag: string;
  /** The tags of the images that kubeadm installs beside the release's own. */
  readonly coreDns: string;
  readonly etcd: string;
  readonly pause: string;
}

const releases: Readonly<Record<KubernetesVersion, Release>> = {
  "1.33": release("1.33", { coreDns: "v1.12.0", etcd: "3.5.24-0", pause: "3.10" }),
  "1.34": release("1.34", { coreDns: "v1.12.1", etcd: "3.6.5-0", pause: "3.10.1" }),
  "1.35": release("1.35", { coreDns: "v1.13.1", etcd: "3.6.6-0", pause: "3.10.1" }),
  "1.36": release("1.36", { coreDns: "v1.14.2", etcd: "3.6.8-0", pause: "3.10.2" }),
};

function release(version: KubernetesVersion, images: Pick<Release, "coreDns" | "etcd" | "pause">): Release {
  return { version, minor: Number(version.slice(2)), tag: `v${version}.0`, ...images };
}

export function releaseOf(version: KubernetesVersion): Release {
  return releases[version];
}

/** Returns the release with a tag, which a kubelet reports; undefined for another version. */
export function releaseOfTag(tag: string | undefined): Release | undefined {
  return Object.values(releases).find((candidate) => candidate.tag === tag);
}

export const newestRelease = releaseOf(newestVersion);

/** Returns the version to which a cluster can be upgraded. Undefined if it has the newest. */
export function nextVersion(version: KubernetesVersion): KubernetesVersion | undefined {
  return supportedVersions[supportedVersions.indexOf(version) + 1];
}

/** Returns why a cluster cannot be upgraded to a version, or undefined if it can. Like kubeadm, which upgrades by one minor version. */
export function upgradeProblem(from: KubernetesVersion, to: KubernetesVersion): string | undefined {
  const steps = releaseOf(to).minor - releaseOf(from).minor;
  if (steps < 0) return `cannot downgrade from ${from} to ${to}: create a new sandbox with version ${to}`;
  if (steps <= 1) return undefined;
  const next = nextVersion(from) ?? to;
  return `cannot skip minor versions from ${from} to ${to}: upgrade to ${next} first`;
}
