// The variables that expressions of a policy can use.
import { type Decide, authorizerValue, requestResourceValue } from "../../../shared/cel/libraries/authorizers.ts";
import { dynValue } from "../../../shared/cel/json-value.ts";
import type { Value } from "../../../shared/cel/values.ts";
import type { Attributes } from "../../../shared/k8s/authorizer.ts";
import type { Namespace } from "../../../shared/k8s/api/core-v1.ts";
import { parseFieldSelector } from "../../../shared/k8s/selectors/fields.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { requestOf } from "../webhooks/review.ts";
import type { Variables } from "./evaluation.ts";

/** A write in the version that the policy names. */
export interface Subject {
  readonly request: AdmissionRequest;
  readonly kind: Kind;
  readonly object: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
  readonly namespace: Namespace | undefined;
  readonly params: KubeObject | undefined;
}

export function variablesOf(subject: Subject, { hasAuthorizer }: { readonly hasAuthorizer: boolean }): Variables {
  const values = new Map<string, Value | undefined>();
  return (name) => {
    if (!values.has(name)) values.set(name, valueOf(name, subject, hasAuthorizer));
    return values.get(name);
  };
}

/** Returns the namespace of the written object; undefined for cluster-scoped objects. Throws 404 if it no longer exists. */
export function namespaceOf({ kind, namespace: name, context }: AdmissionRequest): Namespace | undefined {
  if (!kind.namespaced || !name) return undefined;
  const namespace = context.get(namespaces, "", name);
  if (!namespace) throw ApiError.notFound({ group: "", name: "namespaces" }, name);
  return namespace;
}

function valueOf(name: string, subject: Subject, hasAuthorizer: boolean): Value | undefined {
  const { request } = subject;
  switch (name) {
    case "object":
      return dynValue(subject.object);
    case "oldObject":
      return dynValue(subject.previous);
    case "params":
      return dynValue(subject.params);
    case "namespaceObject":
      return subject.namespace ? dynValue(shownNamespace(subject.namespace)) : null;
    case "request":
      return dynValue(shownRequest(subject));
    case "authorizer":
      return hasAuthorizer ? authorizerValue(request.userInfo, decideOf(request)) : undefined;
    case "authorizer.requestResource":
      return hasAuthorizer ? requestResourceValue(request.userInfo, decideOf(request), resourceOf(request)) : undefined;
    default:
      return undefined;
  }
}

function resourceOf({ kind, subresource, namespace, name }: AdmissionRequest) {
  return {
    group: kind.group,
    resource: kind.plural,
    subresource,
    namespace: namespaceName(kind, namespace, name),
    name,
  };
}

/** Returns the namespace of an object. A Namespace is in itself. */
function namespaceName(kind: AdmissionRequest["kind"], namespace: string, name: string): string {
  return kind.resource === namespaces.resource ? name : namespace;
}

function shownRequest({ request, kind }: Subject): object {
  // The objects are separate variables.
  return requestOf("", { ...request, object: undefined, oldObject: undefined }, kind);
}

function shownNamespace({ metadata, spec, status }: Namespace): object {
  const { managedFields: _managedFields, ownerReferences: _ownerReferences, ...visibleMetadata } = metadata;
  return { metadata: visibleMetadata, spec, status };
}

function decideOf({ context: { authorizer } }: AdmissionRequest): Decide {
  return (user, question) => {
    const { verb, path, group, resource: plural, subresource, namespace, name, fieldSelector } = question;
    const nothing = { group: "", plural: "", subresource: "", namespace: "", name: "" };
    const attributes: Attributes =
      path === undefined
        ? { isResource: true, verb, path: "", group, plural, subresource, namespace, name, ...fieldsOf(fieldSelector) }
        : { ...nothing, isResource: false, verb, path };
    return authorizer.decide(user, attributes);
  };
}

/** Parses a field selector. An invalid selector gives no requirements. */
function fieldsOf(selector: string): Pick<Attributes, "fields"> {
  if (!selector) return {};
  try {
    const terms = parseFieldSelector(selector).terms.filter(({ operator }) => operator === "=");
    return { fields: terms.map(({ field, value }) => [field, value] as const) };
  } catch (error) {
    if (error instanceof ApiError) return {};
    throw error;
  }
}
