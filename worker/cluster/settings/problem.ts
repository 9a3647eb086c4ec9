// What is wrong with a sandbox's settings beside their form, which the edge has checked.
import { networkProblem } from "../../../shared/k8s/settings/cluster-network.ts";
import { featureGateProblem } from "../../../shared/k8s/settings/feature-gates.ts";
import { releaseFacts } from "../../../shared/schema/facts/releases/release-facts.ts";
import { type KubernetesVersion, upgradeProblem } from "../../../shared/k8s/settings/release.ts";
import type { InitializeResult } from "../../../shared/contract/cluster-object.ts";
import type { SandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import { controllersProblem } from "../controllers.ts";
import { issuersProblem } from "../identities.ts";

/** Checks the feature gates, whose defaults the release decides. */
function gatesProblem({ featureGates = {}, version }: SandboxSettings) {
  const changes = releaseFacts(version)?.gates;
  for (const [name, value] of Object.entries(featureGates)) {
    const message = featureGateProblem(name, value, changes);
    if (message !== undefined) return { field: `featureGates.${name}`, message };
  }
  return undefined;
}

/** Returns why a cluster cannot be upgraded to a version: the versions, or a gate that the version does not have. */
export function upgradeRefusal(
  settings: SandboxSettings,
  version: KubernetesVersion,
): Extract<InitializeResult, { ok: false }> | undefined {
  const message = upgradeProblem(settings.version, version);
  if (message !== undefined)
    return { ok: false, code: "invalid_field", message: `version: ${message}`, field: "version" };
  return settingsProblem({ ...settings, version }, 0);
}

/** `nodes`: with how many the cluster begins. */
export function settingsProblem(
  settings: SandboxSettings,
  nodes: number,
): Extract<InitializeResult, { ok: false }> | undefined {
  const problem =
    issuersProblem(settings) ??
    controllersProblem(settings.controllers) ??
    networkProblem(settings, nodes) ??
    gatesProblem(settings);
  if (!problem) return undefined;
  const { field, message } = problem;
  return { ok: false, code: "invalid_field", message: `${field}: ${message}`, field };
}
