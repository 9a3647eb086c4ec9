// Validates updates of a job. The template can only change while no pods run.
import type { Job, JobSpec } from "../../../../../shared/k8s/api/batch-v1.ts";
import type { Container, PodSpec, PodTemplateSpec } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid, path } from "../../../../../shared/k8s/field.ts";
import { semanticEqual } from "../../../../../shared/k8s/equal.ts";
import { internalForm } from "../../../common/go-struct.ts";
import { validateImmutable } from "../../../../../shared/k8s/validate-meta.ts";
import { hasCondition } from "../conditions.ts";
import { validateJobSpec } from "./spec.ts";

const immutableFields = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

const types: Readonly<Record<string, string>> = {
  podFailurePolicy: "io.k8s.api.batch.v1.PodFailurePolicy",
  successPolicy: "io.k8s.api.batch.v1.SuccessPolicy",
};
const templateType = "io.k8s.api.core.v1.PodTemplateSpec";
const specType = "io.k8s.api.core.v1.PodSpec";

export function validateJobUpdate({ spec }: Job, previous: Job): FieldError[] {
  const at = path("spec");
  const old = previous.spec;
  return [
    // Upstream validates the spec twice.
    ...validateJobSpec(spec, at),
    ...validateCompletions(spec, old, at.child("completions")),
    ...validateImmutable(spec.selector, old.selector, at.child("selector")),
    ...validateTemplate(spec.template, previous, at),
    ...immutableFields.flatMap((field) => validateSame(types[field] ?? "", spec[field], old[field], at.child(field))),
  ];
}

/** Validates immutability. The new value is printed as upstream's internal struct. */
function validateSame(type: string, next: unknown, previous: unknown, at: FieldPath): FieldError[] {
  return semanticEqual(next, previous) ? [] : [invalid(at, internalForm(type, next), "field is immutable")];
}

function validateCompletions(next: JobSpec, previous: JobSpec, at: FieldPath): FieldError[] {
  const { completions } = next;
  if (next.completionMode !== "Indexed") return validateImmutable(completions, previous.completions, at);
  const isFine = completions === previous.completions || completions === undefined || completions === next.parallelism;
  // Upstream's path has only the last element.
  return isFine ? [] : [invalid(at, completions, "can only be modified in tandem with spec.parallelism")];
}

/** Validates a change of the template. A suspended job without running pods may change placement and resources. */
function validateTemplate(next: PodTemplateSpec, previous: Job, at: FieldPath): FieldError[] {
  const isSuspended = previous.spec.suspend === true;
  const isIdle = isSuspended && hasCondition(previous, "Suspended") && (previous.status.active ?? 0) === 0;
  const old = isIdle ? withPlacement(previous.spec.template, next) : previous.spec.template;
  if (!isIdle) return validateSame(templateType, next, old, at.child("template"));
  return validateSame(specType, next.spec, withResources(old.spec, next.spec), at.child("template.spec"));
}

/** Returns the old template with the metadata and the placement of the new one. */
function withPlacement(old: PodTemplateSpec, next: PodTemplateSpec): PodTemplateSpec {
  const { nodeSelector, tolerations, schedulingGates } = next.spec;
  const { labels, annotations } = next.metadata;
  const affinity = mixedAffinity(old.spec, next.spec);
  return {
    metadata: { ...old.metadata, ...{ labels, annotations } },
    spec: { ...old.spec, ...{ nodeSelector, tolerations, schedulingGates, affinity } },
  };
}

/** Returns the affinity, of which the node affinity may change. */
function mixedAffinity(old: PodSpec, next: PodSpec): PodSpec["affinity"] {
  const { nodeAffinity: _, ...rest } = old.affinity ?? {};
  const nodeAffinity = next.affinity?.nodeAffinity;
  const mixed = { ...rest, ...(nodeAffinity ? { nodeAffinity } : {}) };
  const isGone = next.affinity === undefined && Object.keys(mixed).length === 0;
  return isGone ? undefined : mixed;
}

function withResources(old: PodSpec, next: PodSpec): PodSpec {
  const withResourcesOf = (mine: readonly Container[] = [], theirs: readonly Container[] = []): Container[] =>
    mine.map((container, index) => {
      const newContainer = theirs[index];
      const isSame = mine.length === theirs.length && newContainer?.name === container.name;
      return isSame ? { ...container, resources: newContainer.resources } : container;
    });
  const { initContainers } = old;
  return {
    ...old,
    containers: withResourcesOf(old.containers, next.containers),
    ...(initContainers ? { initContainers: withResourcesOf(initContainers, next.initContainers) } : {}),
  };
}
