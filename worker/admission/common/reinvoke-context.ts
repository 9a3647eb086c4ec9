// Tracks which webhooks or policies of a plugin must be invoked again (upstream: webhookReinvokeContext, policyReinvokeContext).
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { copyJson } from "../../../shared/schema/json-values.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

export interface ReinvokeContext {
  /** The ids of invoked webhooks or policies with `IfNeeded` since which the object has not changed. */
  previouslyInvokedReinvocable: Set<string>;
  /** The ids after whose invocation the object changed. */
  readonly reinvoke: Set<string>;
  /** The object as the plugin left it. */
  lastOutput: KubeObject | undefined;
}

/** Returns the context of a plugin. It is saved between the two invocations and detects changes by other plugins in between. */
export function reinvokeContextOf({ reinvocationContext, object }: AdmissionRequest, plugin: string): ReinvokeContext {
  // Only this plugin writes the value under its name.
  const saved = reinvocationContext?.values.get(plugin) as ReinvokeContext | undefined;
  const context = saved ?? { previouslyInvokedReinvocable: new Set(), reinvoke: new Set(), lastOutput: undefined };
  reinvocationContext?.values.set(plugin, context);
  if (reinvocationContext?.isReinvoke && !semanticEqual(object, context.lastOutput)) requireReinvoking(context);
  return context;
}

/** Marks the webhooks or policies that were invoked before a change for reinvocation. */
export function requireReinvoking(context: ReinvokeContext): void {
  for (const id of context.previouslyInvokedReinvocable) context.reinvoke.add(id);
  context.previouslyInvokedReinvocable = new Set();
}

export function setLastOutput(context: ReinvokeContext, object: KubeObject | undefined): void {
  // The output is only needed if something can be reinvoked.
  if (context.previouslyInvokedReinvocable.size > 0) context.lastOutput = object && copyJson(object);
}
