// What a container's status repeats of its spec: mounts, resources and user.
import type { Container, ContainerStatus, ContainerUser } from "../../../shared/k8s/api/core-v1.ts";
import { knownImage } from "../images/catalogue.ts";
import { parseImage } from "../images/reference.ts";
import type { ContainerLife, PodLife } from "../life.ts";

export function containerStatus(life: PodLife, { spec, status }: ContainerLife): ContainerStatus {
  const { resources: _, allocatedResources: __, volumeMounts: ___, user: ____, ...own } = status;
  const mounts = mountsOf(spec);
  const seen = status.containerID === undefined ? {} : runtimeFields(life, spec);
  return { ...own, started: status.started ?? false, ...seen, ...(mounts.length > 0 ? { volumeMounts: mounts } : {}) };
}

/** Fields that the kubelet fills in once the runtime knows the container. */
function runtimeFields(life: PodLife, spec: Container): Partial<ContainerStatus> {
  const actual = life.held.get(spec.name) ?? spec.resources;
  // What is being given out is allocated already.
  const { requests } = life.resizing ? spec.resources : actual;
  const { stopSignal } = spec.lifecycle ?? {};
  return {
    ...(requests ? { allocatedResources: requests } : {}),
    resources: actual,
    user: userOf(life, spec),
    ...(stopSignal === undefined ? {} : { stopSignal }),
  };
}

function mountsOf(spec: Container): NonNullable<ContainerStatus["volumeMounts"]> {
  return (spec.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly ? { readOnly, recursiveReadOnly: "Disabled" } : {}),
  }));
}

function userOf(life: PodLife, spec: Container): ContainerUser {
  const reference = parseImage(spec.image ?? "");
  const known = "error" in reference ? undefined : knownImage(reference);
  const pod = life.pod.spec.securityContext;
  const uid = spec.securityContext?.runAsUser ?? pod?.runAsUser ?? known?.uid ?? 0;
  const gid = spec.securityContext?.runAsGroup ?? pod?.runAsGroup ?? known?.uid ?? 0;
  const groups = new Set([gid, ...(uid === 0 ? (known?.groups ?? []) : []), ...(pod?.supplementalGroups ?? [])]);
  if (pod?.fsGroup !== undefined) groups.add(pod.fsGroup);
  return { linux: { uid, gid, supplementalGroups: [...groups] } };
}
