// The parameters that a binding names (upstream: CollectParams).
import type { ParamKind, ParamRef } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** The policy or its binding cannot be used as it is. */
export class ConfigurationError extends Error {}

/** The kind of a policy's parameters; undefined where it has none. */
export function paramKindOf(paramKind: ParamKind | undefined, { context }: AdmissionRequest): Kind | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const found = context.kindOf(apiVersion, kind);
  if (!found) {
    const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`);
  }
  return found;
}

/** What a binding is evaluated with, one after the other; `undefined` is no parameters, no element is no evaluation. */
export function paramsOf(
  kind: Kind | undefined,
  ref: ParamRef | undefined,
  request: AdmissionRequest,
): readonly (KubeObject | undefined)[] {
  if (!kind || !ref) return [undefined];
  const namespace = namespaceOf(kind, ref, request);
  const found = ref.name ? named(kind, namespace, ref.name, request) : selected(kind, namespace, ref, request);
  if (!found.length && ref.parameterNotFoundAction === "Deny") {
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}

function namespaceOf(kind: Kind, { namespace: given = "" }: ParamRef, request: AdmissionRequest): string {
  if (!kind.namespaced) {
    if (given) throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    return "";
  }
  const isNamespace = request.kind.resource === namespaces.resource;
  const namespace = given || (isNamespace ? request.name : request.namespace);
  if (namespace) return namespace;
  const why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  throw new ConfigurationError(why);
}

function named(kind: Kind, namespace: string, name: string, { context }: AdmissionRequest): KubeObject[] {
  const param = context.get(kind, namespace, name);
  return param ? [param] : [];
}

function selected(kind: Kind, namespace: string, { selector }: ParamRef, { context }: AdmissionRequest): KubeObject[] {
  const wanted = labelSelectorAsSelector(selector);
  const all = [...context.list(kind, kind.namespaced ? namespace : undefined)];
  return all.filter(({ metadata }) => wanted.matches(metadata.labels));
}
