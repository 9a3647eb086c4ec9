// A fresh cluster's base in tests: how a version of it is recorded, and the same objects as rows.
import type { Clock } from "../shared/base/clock.ts";
import { must } from "../shared/base/assert.ts";
import type { KubeObject } from "../shared/k8s/meta.ts";
import type { BaseParameters } from "../worker/cluster/base/fresh-base.ts";
import { newBase } from "../worker/cluster/base/new-base.ts";
import type { Base } from "../worker/store/base.ts";
import { keyText } from "../worker/store/index-by-owner.ts";
import type { Sql } from "../worker/store/sql.ts";
import { Store } from "../worker/store/store.ts";
import { writeMeta } from "../worker/store/tables.ts";
import { testAuthority } from "./authority.ts";

/** A base cluster as a new sandbox gets it. Its controllers know the authority of the tests, and its address is that of `test`. */
export function testBase(
  nowMs: number,
  { systemPods, caPem = "test" }: { readonly systemPods?: boolean | undefined; readonly caPem?: string } = {},
): BaseParameters {
  const seed = "3f0c8a52-7d1e-4b96-9a43-5e2f60d7c18b";
  return newBase({
    seed,
    nowMs,
    systemPods,
    caPem,
    authority: testAuthority,
    frontProxy: () => testFrontProxy,
  });
}

export const testFrontProxy = { authority: "front\n", name: "front-proxy-client", certificate: "", key: "" };

/** Writes the objects of a base at their revisions, as a cluster does whose log was compacted afterwards. The log is empty. */
export function writeOut(sql: Sql, base: Base, clock: Clock): void {
  const store = new Store(sql, clock);
  const owners = new Map(base.indexed().map((entry) => [entry.revision, entry.owners]));
  const pass = (revision: number) => {
    const key = { resource: "", namespace: "", name: "in between" };
    while (store.revision < revision) {
      const next = store.get(key) ? null : { apiVersion: "", kind: "", metadata: {} };
      store.commit({ key, next, index: { owners: [], indexValue: "" }, cause: "[]" });
    }
    if (store.get(key)) throw new Error("revisions come in pairs, or one has gone by already");
  };
  for (const entry of [...base.entries()].sort((a, b) => a.revision - b.revision)) {
    const { resource, namespace, name, indexValue, revision } = entry;
    pass(revision - 1);
    const next = structuredClone(base.object(revision));
    const index = { owners: owners.get(revision) ?? [], indexValue };
    store.commit({ key: { resource, namespace, name }, next, index, cause: "[]" });
  }
  pass(base.revision);
  store.compact(base.revision);
  writeMeta(sql, "cursor", String(base.revision));
}

interface Row {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly owners: string;
  readonly index_value: string;
  readonly value: string;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The lines of a version (see `Template`): the objects of a quiet cluster, under revisions without gaps. */
export function recordedBase(sql: Sql): string[] {
  const rows = sql.all<Row & { revision: number }>(
    `SELECT o.*, c.value AS value FROM objects o JOIN changes c ON c.revision = o.revision ORDER BY o.revision`,
  );
  const objects = rows.map(
    ({ value }) => JSON.parse(value) as KubeObject & { involvedObject?: { resourceVersion?: string } },
  );
  const uids = new Map(objects.map(({ metadata }, at) => [metadata.uid, at + 1]));
  /** Returns the number of rows that were written up to a revision. */
  const dense = (version: string) => String(rows.filter(({ revision }) => revision <= Number(version)).length);
  const withHoles = (text: string) =>
    text.replace(uuid, (uid) => {
      const revision = uids.get(uid);
      return revision === undefined ? uid : `00000000-0000-4000-8000-${String(revision).padStart(12, "0")}`;
    });
  return rows.map((row, at) => {
    const object = must(objects[at], "an object");
    object.metadata.resourceVersion = String(at + 1);
    const { involvedObject } = object;
    if (involvedObject?.resourceVersion) involvedObject.resourceVersion = dense(involvedObject.resourceVersion);
    const owners = withHoles(row.owners.replaceAll(" ", ","));
    const words = [row.resource, row.namespace, row.name, owners, row.index_value].map((word) => word || "-");
    if (words.some((word) => word.includes(" "))) throw new Error(`a space in the key of ${keyText(row)}`);
    // What the root authority publishes is one text.
    const json = withHoles(JSON.stringify(object)).replaceAll("$serverCA$\\n$clientCA$", "$rootCA$");
    return [...words, json].join(" ");
  });
}
