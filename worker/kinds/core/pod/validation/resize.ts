// What the subresource `resize` may change: cpu and memory, of containers and of the pod (upstream: ValidatePodResize).
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
  if (errors.length > 0 || semanticEqual(masked(next.spec, previous.spec), previous.spec)) return errors;
  return [forbidden(spec, "only cpu and memory resources are mutable")];
}

/** A node that can do it tells the resources of what runs. */
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

/** None comes, goes, moves or is renamed. */
function validateOrder(next: PodSpec, previous: PodSpec): FieldError[] {
  return (["containers", "initContainers"] as const).flatMap((list) => {
    const [given = [], old = []] = [next[list], previous[list]];
    const at = spec.child(list);
    if (given.length !== old.length) return [forbidden(at, `${list} may not be added or removed on resize`)];
    return old.flatMap(({ name }, index) =>
      given[index]?.name === name
        ? []
        : [forbidden(at.index(index).child("name"), `${list} may not be renamed or reordered on resize`)],
    );
  });
}

function validateRemovals(next: PodSpec, previous: PodSpec): FieldError[] {
  return lists.flatMap((list) =>
    (previous[list] ?? []).flatMap(({ resources }, index) => {
      const given = next[list]?.[index]?.resources;
      const at = spec.child(list).index(index).child("resources");
      return (["requests", "limits"] as const)
        .filter((one) => isRemoved(given?.[one], resources[one]))
        .map((one) => forbidden(at.child(one), `resource ${one} cannot be removed`));
    }),
  );
}

function validateContainers({ containers }: PodSpec, previous: PodSpec): FieldError[] {
  const others = containers.filter((one, index) => !isResized(one, previous.containers[index]));
  return others.map(() => forbidden(spec, "only cpu and memory resources are mutable"));
}

function validateInitContainers({ initContainers = [] }: PodSpec, previous: PodSpec): FieldError[] {
  return initContainers.flatMap((one, index) => {
    const old = previous.initContainers?.[index];
    const at = spec.child("initContainers").index(index);
    const errors: FieldError[] = [];
    if (!isResized(one, old)) {
      errors.push(forbidden(at, "only cpu and memory resources for init or sidecar containers are mutable"));
    }
    if (isSidecar(one) || semanticEqual(one, old)) return errors;
    const restarts = (one.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === "RestartContainer");
    const detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
    return [...errors, ...restarts.map(() => forbidden(at, detail))];
  });
}

/** Whether nothing else of it has changed. */
function isResized(next: Container, previous: Container | undefined): boolean {
  return previous !== undefined && semanticEqual(maskedContainer(next, previous), previous);
}

/** As it would be with the cpu and the memory that it had. */
function masked(next: PodSpec, previous: PodSpec): PodSpec {
  const all = (list: readonly Container[], old: readonly Container[] = []) =>
    list.map((one, index) => maskedContainer(one, old[index]));
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
    const { cpu: _cpu, memory: _memory, ...others } = next[list] ?? {};
    const { cpu, memory } = previous[list] ?? {};
    const all = { ...others, ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
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
