// A row of the server's own table of a kind.
import type { KubeObject } from "../../shared/k8s/meta.ts";

export type { Column } from "../kubectl/print/table.ts";

/** The metadata of its object, which it is known by, and the cells in the order of the columns. */
export interface TableRow extends KubeObject {
  readonly cells: readonly unknown[];
}
