// A base of small objects, for tests of the store.
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Base } from "../../worker/store/base.ts";
import { freeze } from "../../worker/store/freeze.ts";
import { type IndexedRow, keyText } from "../../worker/store/index-by-owner.ts";
import { compareText } from "../../worker/store/range.ts";

/** Returns a base whose objects have the data `{ v: "base" }`, with revisions in the order of the rows. */
export function baseOf(rows: readonly IndexedRow[]): Base {
  const objects = rows.map(({ namespace, name }, at) => {
    const metadata = { namespace, name, resourceVersion: String(at + 1) };
    const object: KubeObject & { data: unknown } = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { v: "base" },
    };
    return freeze(object);
  });
  const object = (revision: number) => must(objects[revision - 1], "an object of the base");
  const text = (revision: number) => JSON.stringify(object(revision));
  const entries = rows.map((row, at) => ({ ...row, revision: at + 1, characters: text(at + 1).length }));
  return {
    revision: rows.length,
    find: (key) => entries.find((entry) => keyText(entry) === key),
    list: (resource) =>
      entries
        .filter((entry) => entry.resource === resource)
        .sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name)),
    entries: () => entries,
    indexed: () => entries.filter(({ owners, indexValue }) => owners.length > 0 || indexValue !== ""),
    atHand: object,
    object,
    text,
  };
}
