// The document of `/version`: the emulated Kubernetes release.

export const kubernetesVersion = {
  major: "1",
  minor: "36",
  /** The build metadata identifies the distribution, like `+k3s1`. */
  gitVersion: "v1.36.0+sandbar",
} as const;

/** Upstream's `version.Info`, with its field order. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** Fields that describe a Go build are empty or zero. */
export const versionInfo: VersionInfo = {
  major: kubernetesVersion.major,
  minor: kubernetesVersion.minor,
  emulationMajor: kubernetesVersion.major,
  emulationMinor: kubernetesVersion.minor,
  minCompatibilityMajor: kubernetesVersion.major,
  minCompatibilityMinor: "35",
  gitVersion: kubernetesVersion.gitVersion,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "workerd",
};
