// What is wrong with a sandbox's settings beside their form, which the edge has checked.
import type { InitializeResult } from "../../../shared/contract/cluster-object.ts";
import type { SandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import { controllersProblem } from "../controllers.ts";
import { issuersProblem } from "../identities.ts";

export function settingsProblem(settings: SandboxSettings): Extract<InitializeResult, { ok: false }> | undefined {
  const problem = issuersProblem(settings) ?? controllersProblem(settings.controllers);
  if (!problem) return undefined;
  const { field, message } = problem;
  return { ok: false, code: "invalid_field", message: `${field}: ${message}`, field };
}
