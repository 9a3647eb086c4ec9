// The admission chain: builds the request that all plugins receive, and invokes the plugins in order (upstream: chainAdmissionHandler).
import type { JsonObject } from "../../shared/schema/json-values.ts";
import type { WriteContext } from "../kinds/kind.ts";
import type { AdmissionRequest, ReinvocationContext } from "./admission.ts";
import type { Actor, Registry, WriteOptions } from "./registry.ts";

/** The attributes that differ between verbs. All other fields of the request follow from the write. */
export type Attributes = Pick<
  AdmissionRequest,
  "operation" | "kind" | "objectKind" | "subresource" | "namespace" | "name" | "object" | "oldObject"
>;

const optionsKinds = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

export function admissionRequest(
  { operation, kind, objectKind, subresource, namespace, name, object, oldObject }: Attributes,
  actor: Actor,
  options: WriteOptions,
  context: WriteContext,
): AdmissionRequest {
  return {
    operation,
    kind,
    requestKind: options.requestKind,
    objectKind,
    subresource,
    namespace,
    name,
    object,
    oldObject,
    userInfo: actor.user,
    dryRun: options.dryRun ?? false,
    options: operation === "CONNECT" ? undefined : operationOptions(optionsKinds[operation], options),
    annotations: options.annotations,
    context,
    warn: (message) => options.warn?.(message),
  };
}

/** Returns the options with their effective values, as webhooks and policies receive them. */
function operationOptions(kind: string, { requestOptions, dryRun = false }: WriteOptions): JsonObject {
  return { kind, apiVersion: "meta.k8s.io/v1", ...(dryRun ? { dryRun: ["All"] } : {}), ...requestOptions };
}

/** Invokes all plugins. If one of them requests reinvocation, all plugins that mutate are invoked a second time. */
export function admit(registry: Registry, step: "mutate" | "validate", request: AdmissionRequest): void {
  const plugins = registry.plugins();
  if (step === "validate") {
    for (const plugin of plugins) plugin.validate?.(request);
    return;
  }
  const reinvocationContext: ReinvocationContext = { isReinvoke: false, shouldReinvoke: false, values: new Map() };
  const first: AdmissionRequest = { ...request, reinvocationContext };
  for (const plugin of plugins) plugin.mutate?.(first);
  if (!reinvocationContext.shouldReinvoke) return;
  const again: AdmissionRequest = { ...request, reinvocationContext: { ...reinvocationContext, isReinvoke: true } };
  for (const plugin of plugins) plugin.mutate?.(again);
}
