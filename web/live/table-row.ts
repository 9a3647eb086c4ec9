// A row of the server's own table of a kind.
import type { KubeObject } from "../../shared/k8s/meta.ts";

export type { Column } from "../kubectl/print/table.ts";

/** The metadata of the object, which identifies the row, and the cells in the order of the columns. */
export interface TableRow extends KubeObject {
  readonly cells: readonly unknown[];
}
