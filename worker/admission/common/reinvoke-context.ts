// Which webhooks or policies of a plugin are invoked a second time (upstream: webhookReinvokeContext, policyReinvokeContext).
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { copyJson } from "../../../shared/schema/json-values.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

export interface ReinvokeContext {
  /** Invoked, of the policy `IfNeeded`, and not overtaken by a change so far; by id. */
  previouslyInvokedReinvocable: Set<string>;
  /** Those after whose invocation something changed the object; by id. */
  readonly reinvoke: Set<string>;
  /** The object as the plugin left it. */
  lastOutput: KubeObject | undefined;
}

/** Kept under the plugin's name for its second invocation, which finds here what was changed between the two. */
export function reinvokeContextOf({ reinvocationContext, object }: AdmissionRequest, plugin: string): ReinvokeContext {
  // Only this plugin writes under its name.
  const known = reinvocationContext?.values.get(plugin) as ReinvokeContext | undefined;
  const context = known ?? { previouslyInvokedReinvocable: new Set(), reinvoke: new Set(), lastOutput: undefined };
  reinvocationContext?.values.set(plugin, context);
  if (reinvocationContext?.isReinvoke && !semanticEqual(object, context.lastOutput)) requireReinvoking(context);
  return context;
}

/** Something has changed the object, so that those before it are to look at it once more. */
export function requireReinvoking(context: ReinvokeContext): void {
  for (const id of context.previouslyInvokedReinvocable) context.reinvoke.add(id);
  context.previouslyInvokedReinvocable = new Set();
}

export function setLastOutput(context: ReinvokeContext, object: KubeObject | undefined): void {
  // Where none is reinvocable, nobody looks at it.
  if (context.previouslyInvokedReinvocable.size > 0) context.lastOutput = object && copyJson(object);
}
