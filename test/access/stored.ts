// An authorizer over a store of a few objects, and the attributes of requests.
import type { Attributes, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { newAuthorizer } from "../../worker/access/authorizer.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

/** The fields of an object that a test needs. */
export type Part = { readonly metadata: KubeObject["metadata"] } & Readonly<Record<string, unknown>>;

export function newStored() {
  const sql = nodeSql();
  createTables(sql);
  const store = new Store(sql);
  const authorizer = newAuthorizer(store, () => kinds);
  const keyOf = ({ resource }: Kind, { namespace = "", name = "" }: KubeObject["metadata"]) => ({
    resource,
    namespace,
    name,
  });
  return {
    store,
    authorizer,
    put: <T extends KubeObject>(kind: Kind<T>, fields: Part) => {
      const next = structuredClone({ apiVersion: kind.apiVersion, kind: kind.kind, ...fields }) as T;
      const index = { owners: [], indexValue: kind.indexValue?.(next) ?? "" };
      store.commit({ key: keyOf(kind, fields.metadata), next, index, cause: "[]" });
    },
    remove: (kind: Kind, metadata: KubeObject["metadata"]) =>
      store.commit({ key: keyOf(kind, metadata), next: null, index: { owners: [], indexValue: "" }, cause: "[]" }),
    decide: (user: UserInfo, attributes: Attributes) => authorizer.decide(user, attributes),
  };
}

/** Returns the attributes for a resource as `plural.group`. */
export function attributesOf(verb: string, resource: string, more: Partial<Attributes> = {}): Attributes {
  const [plural = "", ...group] = resource.split(".");
  const none = { isResource: true, subresource: "", namespace: "", name: "", path: "" };
  return { ...none, verb, plural, group: group.join("."), ...more };
}

/** Returns the attributes for a non-resource path. */
export function askedPath(verb: string, path: string): Attributes {
  return { ...attributesOf(verb, ""), isResource: false, path };
}
