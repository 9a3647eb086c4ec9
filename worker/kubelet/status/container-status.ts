// What a container's status repeats of its spec: mounts, resources and user.
import type { Container, ContainerStatus } from "../../../shared/k8s/api/core-v1.ts";
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
    user: life.node.runtime.containerUser(life.pod, spec),
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
