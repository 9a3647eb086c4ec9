// Columns that nearly every kind has.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { age } from "../../../shared/k8s/time.ts";
import type { Column } from "../kind.ts";

export const nameColumn: Column<KubeObject> = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object, unique within its namespace.",
  cell: ({ metadata }) => metadata.name ?? "",
};

export const ageColumn: Column<KubeObject> = {
  name: "Age",
  type: "string",
  description: "How long ago the object was created.",
  cell: ({ metadata }, nowMs) => age(metadata.creationTimestamp, nowMs),
};

/** The time column of kinds for which upstream has no printer. */
export const createdAtColumn: Column<KubeObject> = {
  name: "Created At",
  type: "date",
  description: "When the object was created.",
  cell: ({ metadata }) => metadata.creationTimestamp ?? null,
};
