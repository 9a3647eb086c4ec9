// The row of an object with the headers of `kubectl get -o wide`.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../../worker/kinds/kind.ts";

export function printerRow(kind: Kind, object: KubeObject, nowMs: number): Record<string, unknown> {
  return Object.fromEntries(kind.columns.map((column) => [column.name, column.cell(object, nowMs)]));
}
