// Files that a node has from its installation on, and that its tools and its runtime read.
import type { NodeFiles } from "./node-files.ts";

/** The kernel's list of loaded profiles: `name (enforce)` on each line. */
export const loadedProfilesPath = "/sys/kernel/security/apparmor/profiles";
export const defaultProfile = "cri-containerd.apparmor.d";
export const containerdConfigPath = "/etc/containerd/config.toml";

export const containerdConfig = `version = 3

[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"

[plugins."io.containerd.cri.v1.runtime".containerd]
  default_runtime_name = "runc"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.test-handler]
  runtime_type = "io.containerd.runc.v2"
`;

export interface LoadedProfile {
  readonly name: string;
  readonly mode: string;
}

export function loadedProfiles(files: NodeFiles): LoadedProfile[] {
  return (files.get(loadedProfilesPath)?.text ?? "").split("\n").flatMap((line) => {
    const [, name, mode] = /^(.+) \((\w+)\)$/.exec(line) ?? [];
    return name === undefined || mode === undefined ? [] : [{ name, mode }];
  });
}
