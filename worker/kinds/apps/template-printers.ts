// Columns of workloads: the wide columns of pod templates, and those of replica counts.
import type { PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import type { Column } from "../kind.ts";
import { containerImages, containerNames } from "../core/pod/template.ts";

/** Returns the columns. `specOf` returns the template's pod spec, if there is one. */
export function templateColumns<T>(specOf: (object: T) => PodSpec | undefined): readonly [Column<T>, Column<T>] {
  const without: PodSpec = { containers: [] };
  return [
    {
      name: "Containers",
      type: "string",
      priority: 1,
      description: "Names of the template's containers.",
      cell: (object) => containerNames(specOf(object) ?? without),
    },
    {
      name: "Images",
      type: "string",
      priority: 1,
      description: "Images of the template's containers.",
      cell: (object) => containerImages(specOf(object) ?? without),
    },
  ];
}

export function selectorColumn<T>(selectorOf: (object: T) => string): Column<T> {
  return {
    name: "Selector",
    type: "string",
    priority: 1,
    description: "Labels of the pods that count.",
    cell: selectorOf,
  };
}

interface Replicated extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas: number; readonly readyReplicas?: number };
}

/** Returns the columns of ReplicaSets and ReplicationControllers. */
export function replicaColumns<T extends Replicated>(
  specOf: (object: T) => PodSpec | undefined,
  selectorOf: (object: T) => string,
): readonly Column<T>[] {
  return [
    nameColumn,
    {
      name: "Desired",
      type: "integer",
      description: "How many pods there should be.",
      cell: ({ spec }) => spec.replicas ?? 0,
    },
    {
      name: "Current",
      type: "integer",
      description: "How many pods there are.",
      cell: ({ status }) => status.replicas,
    },
    {
      name: "Ready",
      type: "integer",
      description: "How many pods are ready.",
      cell: ({ status }) => status.readyReplicas ?? 0,
    },
    ageColumn,
    ...templateColumns(specOf),
    selectorColumn(selectorOf),
  ];
}
