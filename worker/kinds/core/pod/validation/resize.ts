// Validates the subresource `resize`: it changes cpu and memory of containers and of the pod (upstream: ValidatePodResize).
import type { Container, Pod, PodSpec, ResourceRequirements } from "../../../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../../../shared/k8s/equal.ts";
import { type FieldError, forbidden, invalid, path, rootPath } from "../../../../../shared/k8s/field.ts";
import { computePodQos } from "../qos.ts";
import { isSidecar } from "../resources.ts";
import { isMirror } from "./annotations.ts";
import { validatePodMetadataAndSpec } from "./pod.ts";

type Amounts = ResourceRequirements["limits"];

const spec = path("spec");
const lists = ["initContainers", "containers"] as const;

export function validatePodResize(next: Pod, previous: Pod): FieldError[] {
  if (isMirror(previous.metadata.annotations)) return [forbidden(rootPath, "static pods cannot be resized")];
  if (previous.spec.os?.name === "windows") return [forbidden(rootPath, "windows pods cannot be resized")];
  const errors = validatePodMetadataAndSpec(next);
  if ((previous.status.qosClass ?? computePodQos(previous.spec)) !== computePodQos(next.spec)) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    errors.push(invalid(spec, next.status.qosClass ?? "", detail));
  }
  if (!isSupported(previous)) errors.push(forbidden(spec, "Pod running on node without support for resize"));
  errors.push(...validatePodLevel(next.spec, previous.spec));
  const order = validateOrder(next.spec, previous.spec);
  if (order.length > 0) return [...errors, ...order];
  errors.push(...validateRemovals(next.spec, previous.spec), ...validateContainers(next.spec, previous.spec));
  errors.push(...validateInitContainers(next.spec, previous.spec));
  if (errors.length > 0 || semanticEqual(withPreviousResources(next.spec, previous.spec), previous.spec)) return errors;
  return [forbidden(spec, "only cpu and memory resources are mutable")];
}

/** Reports whether the node supports resizing: it reports the resources of running containers. */
function isSupported({ status }: Pod): boolean {
  const running = status.containerStatuses?.find(({ state }) => state?.running);
  return !running || running.resources !== undefined;
}

function validatePodLevel(next: PodSpec, previous: PodSpec): FieldError[] {
  if (!hasAny(next.resources) && !hasAny(previous.resources)) return [];
  const at = spec.child("resources");
  if (previous.resources && !next.resources) return [forbidden(at, "pod-level resources cannot be removed")];
  const errors: FieldError[] = [];
  for (const list of ["requests", "limits"] as const) {
    if (previous.resources && isRemoved(next.resources?.[list], previous.resources[list])) {
      errors.push(forbidden(at.child(list), `pod-level resource ${list} cannot be removed`));
    }
  }
  if (!semanticEqual(maskedPodLevel(next.resources, previous.resources), previous.resources)) {
    errors.push(forbidden(spec, "only cpu and memory resources are mutable at pod-level"));
  }
  return errors;
}

/** Validates that containers are not added, removed, moved or renamed. */
function validateOrder(next: PodSpec, previous: PodSpec): FieldError[] {
  return (["containers", "initContainers"] as const).flatMap((list) => {
    const [nextContainers = [], old = []] = [next[list], previous[list]];
    const at = spec.child(list);
    if (nextContainers.length !== old.length) return [forbidden(at, `${list} may not be added or removed on resize`)];
    return old.flatMap(({ name }, index) =>
      nextContainers[index]?.name === name
        ? []
        : [forbidden(at.index(index).child("name"), `${list} may not be renamed or reordered on resize`)],
    );
  });
}

function validateRemovals(next: PodSpec, previous: PodSpec): FieldError[] {
  return lists.flatMap((list) =>
    (previous[list] ?? []).flatMap(({ resources }, index) => {
      const nextResources = next[list]?.[index]?.resources;
      const at = spec.child(list).index(index).child("resources");
      return (["requests", "limits"] as const)
        .filter((resource) => isRemoved(nextResources?.[resource], resources[resource]))
        .map((resource) => forbidden(at.child(resource), `resource ${resource} cannot be removed`));
    }),
  );
}

function validateContainers({ containers }: PodSpec, previous: PodSpec): FieldError[] {
  const changedContainers = containers.filter((container, index) => !isResized(container, previous.containers[index]));
  return changedContainers.map(() => forbidden(spec, "only cpu and memory resources are mutable"));
}

function validateInitContainers({ initContainers = [] }: PodSpec, previous: PodSpec): FieldError[] {
  return initContainers.flatMap((container, index) => {
    const old = previous.initContainers?.[index];
    const at = spec.child("initContainers").index(index);
    const errors: FieldError[] = [];
    if (!isResized(container, old)) {
      errors.push(forbidden(at, "only cpu and memory resources for init or sidecar containers are mutable"));
    }
    if (isSidecar(container) || semanticEqual(container, old)) return errors;
    const restarts = (container.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === "RestartContainer");
    const detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
    return [...errors, ...restarts.map(() => forbidden(at, detail))];
  });
}

/** Reports whether only the resources of a container changed. */
function isResized(next: Container, previous: Container | undefined): boolean {
  return previous !== undefined && semanticEqual(maskedContainer(next, previous), previous);
}

/** Returns the spec with the previous cpu and memory. */
function withPreviousResources(next: PodSpec, previous: PodSpec): PodSpec {
  const all = (list: readonly Container[], old: readonly Container[] = []) =>
    list.map((container, index) => maskedContainer(container, old[index]));
  const { resources: _, ...rest } = next;
  const isSet = hasAny(next.resources) || hasAny(previous.resources);
  const resources = isSet ? maskedPodLevel(next.resources, previous.resources) : next.resources;
  return {
    ...rest,
    ...(resources ? { resources } : {}),
    containers: all(next.containers, previous.containers),
    ...(next.initContainers ? { initContainers: all(next.initContainers, previous.initContainers) } : {}),
  };
}

function maskedContainer(next: Container, previous: Container | undefined): Container {
  return { ...next, resources: maskedResources(next.resources, previous?.resources) };
}

function maskedPodLevel(
  next: ResourceRequirements | undefined,
  previous: ResourceRequirements | undefined,
): ResourceRequirements | undefined {
  if (!next) return undefined;
  const { claims } = next;
  const resources = { ...maskedResources(next, previous), ...(claims ? { claims } : {}) };
  return !previous && Object.keys(resources).length === 0 ? undefined : resources;
}

function maskedResources(next: ResourceRequirements, previous: ResourceRequirements = {}): ResourceRequirements {
  const mask = (list: "limits" | "requests"): ResourceRequirements => {
    const { cpu: _cpu, memory: _memory, ...otherResources } = next[list] ?? {};
    const { cpu, memory } = previous[list] ?? {};
    const all = { ...otherResources, ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
    return Object.keys(all).length > 0 ? { [list]: all } : {};
  };
  return { ...mask("limits"), ...mask("requests") };
}

function isRemoved(next: Amounts, previous: Amounts = {}): boolean {
  return Object.keys(previous).some((name) => next?.[name] === undefined);
}

function hasAny(resources: ResourceRequirements | undefined): boolean {
  return Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;
}
