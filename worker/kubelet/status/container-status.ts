// The fields of a container's status that repeat its spec: mounts, resources and user.
import type { Container, ContainerStatus } from "../../../shared/k8s/api/core-v1.ts";
import type { ContainerLife, PodLife } from "../life.ts";

export function containerStatus(life: PodLife, { spec, status }: ContainerLife): ContainerStatus {
  const ownFields = without(status, "resources", "allocatedResources", "volumeMounts", "user");
  const mounts = mountsOf(spec);
  const runtimeStatus = status.containerID === undefined ? {} : runtimeFields(life, spec);
  return {
    ...ownFields,
    started: status.started ?? false,
    ...runtimeStatus,
    ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
  };
}

/** Returns the fields that the kubelet fills in once the runtime knows the container. */
function runtimeFields(life: PodLife, spec: Container): Partial<ContainerStatus> {
  const actual = life.actualResources.get(spec.name) ?? spec.resources;
  // During a resize the kubelet has allocated the new resources already, while the container still runs with the old ones.
  const { requests } = life.resizing ? spec.resources : actual;
  const { stopSignal } = spec.lifecycle ?? {};
  return {
    ...(requests ? { allocatedResources: requests } : {}),
    resources: actual,
    user: life.node.runtime.containerUser(life.pod, spec),
    ...(stopSignal === undefined ? {} : { stopSignal }),
  };
}

/** Returns a copy without some fields. */
function without<T extends object, K extends keyof T>(value: T, ...fields: readonly K[]): Omit<T, K> {
  const copy = { ...value };
  for (const field of fields) delete copy[field];
  return copy;
}

function mountsOf(spec: Container): NonNullable<ContainerStatus["volumeMounts"]> {
  return (spec.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly ? { readOnly, recursiveReadOnly: "Disabled" } : {}),
  }));
}
