// The option that names a Kubernetes version.
import { supportedVersions } from "../../shared/contract/cluster/kubernetes-version.ts";
import type { CreateSandbox } from "../index.ts";
import type { Run } from "./command-run.ts";
import { UsageError } from "./values.ts";

export function versionOf(run: Pick<Run, "text">): Pick<CreateSandbox, "version"> {
  const text = run.text("kubernetes-version");
  if (text === undefined) return {};
  const version = supportedVersions.find((supported) => supported === text);
  if (version === undefined)
    throw new UsageError(`--kubernetes-version must be one of ${supportedVersions.join(", ")}`);
  return { version };
}
