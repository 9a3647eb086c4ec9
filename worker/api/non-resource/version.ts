// The document of `/version`: the emulated Kubernetes release.
import type { Release } from "../../../shared/k8s/settings/release.ts";

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

/** Returns the document. Fields that describe a Go build are empty or zero. */
export function versionInfoOf({ minor, tag }: Release): VersionInfo {
  const major = "1";
  return {
    major,
    minor: String(minor),
    emulationMajor: major,
    emulationMinor: String(minor),
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(minor - 1),
    // The build metadata identifies the distribution, like `+k3s1`.
    gitVersion: `${tag}+sandbar`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform: "workerd",
  };
}
