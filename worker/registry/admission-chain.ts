// The admission chain: the one request that all plugins see, and the plugins asked in their order (upstream: chainAdmissionHandler).
import type { JsonObject } from "../../shared/schema/json-values.ts";
import type { WriteContext } from "../kinds/kind.ts";
import type { AdmissionRequest, ReinvocationContext } from "./admission.ts";
import type { Actor, Registry, WriteOptions } from "./registry.ts";

/** What a verb says of its write; the rest of the request is the same for all of them. */
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

/** With what is set, as webhooks and policies know it. */
function operationOptions(kind: string, { given, dryRun = false }: WriteOptions): JsonObject {
  return { kind, apiVersion: "meta.k8s.io/v1", ...(dryRun ? { dryRun: ["All"] } : {}), ...given };
}

/** Asks all plugins; those that change are asked once more where one of them wants it. */
export function admit({ plugins }: Registry, step: "mutate" | "validate", request: AdmissionRequest): void {
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
