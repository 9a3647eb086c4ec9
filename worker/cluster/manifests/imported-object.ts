// The objects of another cluster as they were given, and the order in which they are written.
import { getKey, isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { objectsIn } from "./manifests.ts";

export interface Given {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" where there is none. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly value: JsonObject;
}

/** Before all others, in this order. */
const first = [
  ...["Namespace", "CustomResourceDefinition", "PriorityClass", "RuntimeClass", "StorageClass", "CSIDriver", "Node"],
  ...["ServiceAccount", "Secret", "ConfigMap"],
];
/** After all others: these refuse or change what comes after them. */
const last = [
  ...["Pod", "LimitRange", "ResourceQuota", "APIService"],
  ...["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy"],
  ...["MutatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
];

/** The objects of an import. */
export interface GivenObjects {
  readonly uids: Iterable<string>;
  /** Yields the objects in the order in which they are written. Can be called again. */
  all(): Iterable<Given>;
}

/** Reads documents and lists as `kubectl get -o yaml` or `-o json` prints them. Throws ApiError if the text is neither. */
export function givenObjects(text: string): GivenObjects {
  const objects = [...objectsIn(text)].flatMap(({ value }) => (value === null ? [] : [givenOf(value)]));
  objects.sort((a, b) => rankOf(a) - rankOf(b));
  return { uids: objects.map(({ uid }) => uid), all: () => objects };
}

export function givenOf(value: unknown): Given {
  const object = isObject(value) ? value : {};
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const textOf = (of: JsonObject, field: string) => {
    const value = getKey(of, field);
    return typeof value === "string" ? value : "";
  };
  return {
    apiVersion: textOf(object, "apiVersion"),
    kind: textOf(object, "kind"),
    namespace: textOf(metadata, "namespace"),
    name: textOf(metadata, "name"),
    uid: textOf(metadata, "uid"),
    value: object,
  };
}

/** Returns the rank of the kind: objects of lower ranks are written first. */
export function rankOf({ kind }: Given): number {
  const [before, after] = [first.indexOf(kind), last.indexOf(kind)];
  return before >= 0 ? before : first.length + 1 + after;
}
