// The secrets that a pod uses, wherever it names them (upstream's `VisitPodSecretNames`). Pure.
import type { PodSpec, Volume } from "../../../shared/k8s/api/core-v1.ts";

export function podSecretNames(spec: PodSpec): Set<string> {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const names = [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(({ envFrom = [], env = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(volumeSecrets),
  ];
  return new Set(names.flatMap((name) => name || []));
}

function volumeSecrets(volume: Volume): (string | undefined)[] {
  const { azureFile, cephfs, cinder, flexVolume, projected, rbd, secret, scaleIO, iscsi, storageos, csi } = volume;
  const referring = [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos];
  return [
    azureFile?.secretName,
    secret?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...referring.map((source) => source?.secretRef?.name),
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}
