// Owner references that stand twice are one; upstream warns of them (its `dedupOwnerReferences`).
import { semanticEqual } from "../../shared/k8s/equal.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { WriteOptions } from "./registry.ts";

export function dropDuplicateOwners({ metadata }: KubeObject, options: WriteOptions, isAfterAdmission: boolean): void {
  const all = metadata.ownerReferences ?? [];
  if (all.length < 2) return;
  const isRepeated = (index: number) => all.slice(0, index).some((one) => semanticEqual(one, all[index]));
  const repeated = all.filter((_, index) => isRepeated(index)).map(({ uid }) => uid);
  if (repeated.length === 0) return;
  metadata.ownerReferences = all.filter((_, index) => !isRepeated(index));
  const when = isAfterAdmission ? " after mutating admission happens" : "";
  const advice =
    "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";
  const what = `.metadata.ownerReferences contains duplicate entries${when}`;
  options.warn?.(`${what}; ${advice}; duplicate UID(s) observed: ${repeated.join(", ")}`);
}
