// Reads the state of a cluster in a comparable form.
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import { keptBase } from "../../../worker/cluster/base/kept-base.ts";
import type { Sql } from "../../../worker/store/sql.ts";
import { Store } from "../../../worker/store/store.ts";
import type { Answer } from "../../api/server.ts";

/** But that of the request itself. */
export function headersOf({ headers }: Answer): string[][] {
  return [...headers].filter(([name]) => name !== "audit-id");
}

/** Returns every answer of a store about its contents, after it was opened again. */
export function stateOf(sql: Sql) {
  const store = openStore(sql);
  const resources = resourcesOf(sql);
  return resources.map((resource) => ({
    resource,
    items: store.page({ resource, limit: 10_000 }).items,
    count: [store.count({ resource }), store.count({ resource, namespace: "kube-system" })],
    listed: [...store.list({ resource, namespace: "default" })],
    indexValues: store.indexValues(resource).map(({ name, indexValue, revision }) => [name, indexValue, revision]),
    onNode: store.byIndexValue(resource, "node-1"),
    named: store.named(resource, "default"),
    beginning: store.beginningWith(resource, "kube-system", "coredns"),
    owned: store.page({ resource, limit: 10_000 }).items.map(({ text }) => {
      // The store wrote it.
      const { uid = "" } = (JSON.parse(text) as Draft<KubeObject>).metadata ?? {};
      return store.ownedBy(uid, false);
    }),
  }));
}

export function openStore(sql: Sql): Store {
  return new Store(sql, undefined, undefined, keptBase(sql));
}

function resourcesOf(sql: Sql): string[] {
  const ownResources = sql
    .all<{ resource: string }>("SELECT DISTINCT resource FROM objects")
    .map(({ resource }) => resource);
  return [
    ...new Set([
      ...ownResources,
      ...keptBase(sql)
        .entries()
        .map(({ resource }) => resource),
    ]),
  ].sort();
}
