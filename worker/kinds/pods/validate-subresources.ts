// What the subresources `ephemeralcontainers` and `resize` may change.
import type { Container, Pod, ResourceRequirements } from "../../../shared/k8s/api/core-v1.ts";
import { jsonDiff } from "../../../shared/k8s/diff.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, type FieldPath, forbidden, invalid, path, rootPath } from "../../../shared/k8s/field.ts";
import { internalForm } from "../internal-form.ts";
import { podQos } from "./qos.ts";
import { isSidecar } from "./resources.ts";
import { isMirror } from "./validate-annotations.ts";
import { validatePod } from "./validate-pod.ts";

/** Ephemeral containers are added, never changed or removed. */
const ephemeralType = "io.k8s.api.core.v1.EphemeralContainer";

export function validateEphemeralContainersUpdate(next: Pod, previous: Pod): FieldError[] {
  if (isMirror(previous.metadata.annotations)) {
    return [forbidden(rootPath, "static pods do not support ephemeral containers")];
  }
  const at = path("spec", "ephemeralContainers");
  const errors = validatePod(next);
  for (const old of previous.spec.ephemeralContainers ?? []) {
    const name = JSON.stringify(old.name);
    const given = next.spec.ephemeralContainers?.find((one) => one.name === old.name);
    if (!given) errors.push(forbidden(at, `existing ephemeral containers ${name} may not be removed\n`));
    else if (!semanticEqual(old, given)) {
      const detail = `existing ephemeral containers ${name} may not be changed\n${jsonDiff(internalForm(ephemeralType, old), internalForm(ephemeralType, given))}`;
      errors.push(forbidden(at, detail));
    }
  }
  return errors;
}

/** Only cpu and memory of containers that run on. */
export function validatePodResize(next: Pod, previous: Pod): FieldError[] {
  if (isMirror(previous.metadata.annotations)) return [forbidden(rootPath, "static pods cannot be resized")];
  if (previous.spec.os?.name === "windows") return [forbidden(rootPath, "windows pods cannot be resized")];
  const at = path("spec");
  const errors = validatePod(next);
  if ((previous.status.qosClass ?? podQos(previous.spec)) !== podQos(next.spec)) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    errors.push(invalid(at, next.status.qosClass ?? "", detail));
  }
  for (const field of ["initContainers", "containers"] as const) {
    const [given, old] = [next.spec[field] ?? [], previous.spec[field] ?? []];
    if (given.length !== old.length) return [...errors, forbidden(at, "only cpu and memory resources are mutable")];
    errors.push(...given.flatMap((one, index) => resizeErrors(one, old[index], field, at.child(field).index(index))));
  }
  return errors;
}

function resizeErrors(
  next: Container,
  previous: Container | undefined,
  field: "initContainers" | "containers",
  at: FieldPath,
): FieldError[] {
  if (!previous) return [];
  const spec = path("spec");
  if (field === "initContainers" && !isSidecar(previous)) {
    if (semanticEqual(next, previous)) return [];
    return [forbidden(spec, "resources for non-sidecar init containers are immutable")];
  }
  const errors: FieldError[] = [];
  for (const list of ["requests", "limits"] as const) {
    const isRemoved = Object.keys(previous.resources[list] ?? {}).some(
      (name) => next.resources[list]?.[name] === undefined,
    );
    if (isRemoved) errors.push(forbidden(at.child("resources", list), `resource ${list} cannot be removed`));
  }
  if (!semanticEqual(withoutCompute(next), withoutCompute(previous))) {
    const what = field === "containers" ? "resources" : "resources for sidecar containers";
    errors.push(forbidden(spec, `only cpu and memory ${what} are mutable`));
  }
  return errors;
}

function withoutCompute({ resizePolicy: _, resources, ...rest }: Container): unknown {
  const others = (list: ResourceRequirements["limits"]) =>
    Object.entries(list ?? {}).filter(([name]) => name !== "cpu" && name !== "memory");
  return { ...rest, limits: others(resources.limits), requests: others(resources.requests) };
}
