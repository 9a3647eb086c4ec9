// Finds the parameters of a binding (upstream: CollectParams).
import type { ParamKind, ParamRef } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** An error in a policy or its binding. */
export class ConfigurationError extends Error {}

/** Returns the kind of a policy's parameters; undefined if it has none. */
export function paramKindOf(paramKind: ParamKind | undefined, { context }: AdmissionRequest): Kind | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const resolvedKind = context.kindOf(apiVersion, kind);
  if (!resolvedKind) {
    const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`);
  }
  return resolvedKind;
}

/**
 * Returns the parameters with which a binding is evaluated, one after the other. `undefined` stands for no parameters; an empty array skips
 * the evaluation.
 */
export function paramsOf(
  kind: Kind | undefined,
  ref: ParamRef | undefined,
  request: AdmissionRequest,
): readonly (KubeObject | undefined)[] {
  if (!kind || !ref) return [undefined];
  const namespace = namespaceOf(kind, ref, request);
  const params = ref.name
    ? paramByName(kind, namespace, ref.name, request)
    : paramsBySelector(kind, namespace, ref, request);
  if (!params.length && ref.parameterNotFoundAction === "Deny") {
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return params;
}

function namespaceOf(kind: Kind, { namespace: refNamespace = "" }: ParamRef, request: AdmissionRequest): string {
  if (!kind.namespaced) {
    if (refNamespace)
      throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    return "";
  }
  const isNamespace = request.kind.resource === namespaces.resource;
  const namespace = refNamespace || (isNamespace ? request.name : request.namespace);
  if (namespace) return namespace;
  const why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  throw new ConfigurationError(why);
}

function paramByName(kind: Kind, namespace: string, name: string, { context }: AdmissionRequest): KubeObject[] {
  const param = context.get(kind, namespace, name);
  return param ? [param] : [];
}

function paramsBySelector(
  kind: Kind,
  namespace: string,
  { selector }: ParamRef,
  { context }: AdmissionRequest,
): KubeObject[] {
  const parsedSelector = labelSelectorAsSelector(selector);
  const all = [...context.list(kind, kind.namespaced ? namespace : undefined)];
  return all.filter(({ metadata }) => parsedSelector.matches(metadata.labels));
}
