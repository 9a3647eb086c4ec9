// The published Go modules of each Kubernetes release, from which facts are read and real control planes are built.
import { must } from "../../shared/base/assert.ts";
import { go } from "../go-modules.ts";

/** The patch release of each minor version. A module proxy does not have every patch. */
export const patches: Readonly<Record<string, string>> = {
  "1.33": "v1.33.13",
  "1.34": "v1.34.4",
  "1.35": "v1.35.4",
  "1.36": "v1.36.3",
};

export function patchOf(minor: string): string {
  return must(patches[minor], `a release: ${Object.keys(patches).join(", ")}`);
}

/** Downloads a module. Returns its folder. Libraries of the staging folder are published as v0.x for v1.x. */
export function moduleFolder(name: string, minor: string): string {
  const patch = patchOf(minor);
  const version = name === "kubernetes" ? patch : patch.replace("v1.", "v0.");
  const { Dir } = JSON.parse(go(".", "mod", "download", "-json", `k8s.io/${name}@${version}`)) as { Dir: string };
  return Dir;
}
