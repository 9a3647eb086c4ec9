// Files of small states.
import type { TestCluster } from "../cluster.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { StateMeta } from "../../shared/state/format.ts";
import { writeStateFile } from "../../shared/state/write-state.ts";

/** An object and the resource under which it is stored. */
export type Stored = readonly [resource: string, object: KubeObject & Record<string, unknown>];

const meta: StateMeta = {
  settings: { admissionPlugins: ["NodeRestriction"], anonymousAccess: true },
  certificates: { rootCA: "root", clientCA: "client", frontProxyCA: "front" },
  rows: [],
};

/** Revisions are the objects' own, or follow from their order. */
export function stateFile(
  objects: readonly Stored[],
  revision = 100_000,
  certificates: StateMeta["certificates"] = meta.certificates,
): Uint8Array<ArrayBuffer> {
  const rows = objects.map(([resource, object], at) => ({
    resource,
    namespace: object.metadata.namespace ?? "",
    name: object.metadata.name ?? "",
    revision: Number(object.metadata.resourceVersion ?? at + 1),
    owners: [],
    indexValue: "",
    text: JSON.stringify(object),
  }));
  return writeStateFile(rows, { revision, madeMs: 0, meta: { ...meta, certificates } });
}

/** All that a test's cluster has. */
export function stateOfCluster({ registry }: Pick<TestCluster, "registry">): Uint8Array<ArrayBuffer> {
  const { store, catalogue } = registry;
  const objects = catalogue
    .storedKinds()
    .flatMap(({ resource }) => [...store.list({ resource })].map((object): Stored => [resource, { ...object }]));
  return stateFile(objects, store.revision);
}

export function configMap(name: string, v: string, more: object = {}): Stored {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, ...more };
  return ["configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { v } }];
}
