// The packages of Kubernetes on a node: the database of dpkg as a file of the node, and the versions in the package repository.
import type { NodeFiles } from "./node-files.ts";

const kubePackages = ["kubeadm", "kubectl", "kubelet"] as const;
export type KubePackage = (typeof kubePackages)[number];

export const statusPath = "/var/lib/dpkg/status";
const repositoryPath = "/etc/apt/sources.list.d/kubernetes.list";
/** The patch releases that the repository of a minor version has. */
const patchReleases = [0, 1, 2];
const revision = "1.1";

export interface InstalledPackage {
  readonly name: KubePackage;
  /** The version of Debian: `1.36.0-1.1`. */
  readonly version: string;
  readonly isHeld: boolean;
}

const descriptions: Readonly<Record<KubePackage, string>> = {
  kubeadm: "Command-line utility for administering a Kubernetes cluster",
  kubectl: "Command-line utility for interacting with a Kubernetes cluster",
  kubelet: "Node agent for Kubernetes clusters",
};

export function isKubePackage(name: string): name is KubePackage {
  return (kubePackages as readonly string[]).includes(name);
}

/** Returns the files of a node on which a release of Kubernetes is installed. `release`: `v1.36.0`. */
export function versionFiles(release: string): Readonly<Record<string, string>> {
  const version = `${release.slice(1)}-${revision}`;
  const minor = release.split(".").slice(0, 2).join(".");
  return {
    [statusPath]: statusText(kubePackages.map((name) => ({ name, version, isHeld: true }))),
    [repositoryPath]: `deb [signed-by=/etc/apt/keyrings/kubernetes-apt-keyring.gpg] https://pkgs.k8s.io/core:/stable:/${minor}/deb/ /\n`,
    "/etc/apt/keyrings/kubernetes-apt-keyring.gpg": "",
  };
}

export function statusText(installed: readonly InstalledPackage[]): string {
  return installed
    .map(
      ({ name, version, isHeld }) =>
        `Package: ${name}\nStatus: ${isHeld ? "hold" : "install"} ok installed\nPriority: optional\nSection: admin\nArchitecture: amd64\nVersion: ${version}\nDescription: ${descriptions[name]}\n`,
    )
    .join("\n");
}

export function installedPackages(files: NodeFiles): InstalledPackage[] {
  return (files.get(statusPath)?.text ?? "").split(/\n\s*\n/).flatMap((paragraph) => {
    const lines = paragraph.split("\n");
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
    const name = field("Package");
    if (!isKubePackage(name)) return [];
    return [{ name, version: field("Version"), isHeld: field("Status").startsWith("hold") }];
  });
}

/** Returns the release of an installed package (`v1.36.0`); undefined if it is not installed. */
export function releaseOf(files: NodeFiles, name: KubePackage): string | undefined {
  const version = installedPackages(files).find((entry) => entry.name === name)?.version;
  return version === undefined ? undefined : `v${version.split("-", 1)[0] ?? ""}`;
}

/** Returns the versions that the configured repository has, newest first. */
export function availableVersions(files: NodeFiles): string[] {
  const minor = minorOfRepository(files);
  if (minor === undefined) return [];
  return [...patchReleases].reverse().map((patch) => `${minor}.${patch}-${revision}`);
}

/** Returns the minor version of the configured repository: `1.36`. */
export function minorOfRepository(files: NodeFiles): string | undefined {
  return /^deb .*\/v(1\.\d+)\/deb/m.exec(files.get(repositoryPath)?.text ?? "")?.[1];
}
