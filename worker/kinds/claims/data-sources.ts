// What a claim is filled from: the old field and its successor say the same.
import type { PersistentVolumeClaimSpec } from "../../../shared/k8s/api/core-v1.ts";

/** What strategies do before they store: upstream's dropping, backwards compatibility and normalising, in that order. */
export function settleDataSources(spec: PersistentVolumeClaimSpec, previous?: PersistentVolumeClaimSpec): void {
  // Sources in other namespaces are behind a feature gate that is off by default.
  if (spec.dataSourceRef?.namespace && !previous?.dataSourceRef) delete spec.dataSourceRef;
  const wasUsed = previous?.dataSource ?? previous?.dataSourceRef;
  if (!wasUsed && !spec.dataSourceRef && !isClaimOrSnapshot(spec)) delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
  }
}

function isClaimOrSnapshot({ dataSource }: PersistentVolumeClaimSpec): boolean {
  const { apiGroup = "", kind } = dataSource ?? {};
  if (kind === "PersistentVolumeClaim") return apiGroup === "";
  return kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
}
