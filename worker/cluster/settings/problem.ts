// What is wrong with a sandbox's settings beside their form, which the edge has checked.
import { networkProblem } from "../../../shared/k8s/settings/cluster-network.ts";
import type { InitializeResult } from "../../../shared/contract/cluster-object.ts";
import type { SandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import { controllersProblem } from "../controllers.ts";
import { issuersProblem } from "../identities.ts";

/** `nodes`: with how many the cluster begins. */
export function settingsProblem(
  settings: SandboxSettings,
  nodes: number,
): Extract<InitializeResult, { ok: false }> | undefined {
  const problem =
    issuersProblem(settings) ?? controllersProblem(settings.controllers) ?? networkProblem(settings, nodes);
  if (!problem) return undefined;
  const { field, message } = problem;
  return { ok: false, code: "invalid_field", message: `${field}: ${message}`, field };
}
