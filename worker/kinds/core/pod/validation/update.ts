// Validates updates of pods: upstream's `ValidatePodUpdate`, beyond `validatePodMetadataAndSpec` of the new pod.
import type {
  Container,
  Pod,
  PodSchedulingGate,
  PodSpec,
  Toleration,
  NodeAffinity,
  NodeSelectorTerm,
} from "../../../../../shared/k8s/api/core-v1.ts";
import { jsonDiff } from "../../../../../shared/k8s/diff.ts";
import { semanticEqual } from "../../../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  path,
  required,
  rootPath,
} from "../../../../../shared/k8s/field.ts";
import { inRange } from "../../../../../shared/k8s/names.ts";
import { internalForm } from "../../../common/go-struct.ts";
import { each } from "../../../common/checks.ts";
import { validatePodAnnotationUpdates, isMirror } from "./annotations.ts";
import { validateImagePadding } from "./containers.ts";
import { validateTolerations as validateAllTolerations } from "./scheduling.ts";
import { validatePodMetadataAndSpec } from "./pod.ts";

interface GatedUpdate {
  readonly errors: FieldError[];
  /** The spec with the previous node selector and node affinity. */
  readonly spec: PodSpec;
}
const termType = "io.k8s.api.core.v1.NodeSelectorTerm";
type Labels = Readonly<Record<string, string>>;

/** The type of ephemeral containers, which can be added but not changed or removed. */
const ephemeralType = "io.k8s.api.core.v1.EphemeralContainer";

const updatableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];
const podSpec = "io.k8s.api.core.v1.PodSpec";
const maxInt32 = 2 ** 31 - 1;

export function validatePodUpdate(next: Pod, previous: Pod): FieldError[] {
  const at = path("spec");
  const errors = validatePodAnnotationUpdates(
    next.metadata.annotations ?? {},
    previous.metadata.annotations ?? {},
    path("metadata", "annotations"),
  );
  for (const field of ["containers", "initContainers"] as const) {
    const [nextContainers, old] = [next.spec[field] ?? [], previous.spec[field] ?? []];
    if (nextContainers.length !== old.length) {
      return [...errors, forbidden(at.child(field), "pod updates may not add or remove containers")];
    }
    errors.push(...validateImages(nextContainers, at.child(field)));
  }
  const deadline = validateDeadline(next.spec, previous.spec, at.child("activeDeadlineSeconds"));
  errors.push(...deadline.errors);
  if (deadline.isFinal) return errors;
  errors.push(...validateTolerations(next.spec.tolerations ?? [], previous.spec, at.child("tolerations")));
  errors.push(...validateGates(next.spec.schedulingGates ?? [], previous.spec, at.child("schedulingGates")));
  if (semanticEqual(next.spec, previous.spec)) return errors;
  const rest = withoutUpdatable(next.spec, previous.spec);
  const gated = validateGatedUpdate(rest, previous.spec, at);
  errors.push(...gated.errors);
  if (!semanticEqual(gated.spec, previous.spec)) {
    const detail = `pod updates may not change fields other than ${updatableFields.join(",")}`;
    const difference = jsonDiff(internalForm(podSpec, previous.spec), internalForm(podSpec, gated.spec));
    errors.push(forbidden(at, `${detail}\n${difference}`));
  }
  return errors;
}

/** Returns the new spec with the previous values of mutable fields. */
function withoutUpdatable(next: PodSpec, previous: PodSpec): PodSpec {
  const munged: PodSpec = { ...next, containers: withImages(next.containers, previous.containers) };
  if (next.initContainers) munged.initContainers = withImages(next.initContainers, previous.initContainers ?? []);
  for (const field of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const) {
    if (previous[field] === undefined) delete munged[field];
    else Object.assign(munged, { [field]: previous[field] });
  }
  const grace = previous.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0 && next.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = grace;
  }
  return munged;
}

function withImages(containers: readonly Container[], previous: readonly Container[]): Container[] {
  return containers.map((container, index) => {
    const { image: _, ...rest } = container;
    const image = previous[index]?.image;
    return image === undefined ? rest : { ...rest, image };
  });
}

function validateImages(containers: readonly Container[], at: FieldPath): FieldError[] {
  return containers.flatMap((container, index) => [
    ...(container.image ? [] : [required(at.index(index).child("image"))]),
    ...validateImagePadding(container, at.index(index)),
  ]);
}

/** Validates that the deadline is set for the first time or reduced. */
function validateDeadline(
  { activeDeadlineSeconds: next }: PodSpec,
  { activeDeadlineSeconds: previous }: PodSpec,
  at: FieldPath,
): { errors: FieldError[]; isFinal: boolean } {
  if (next === undefined) {
    if (previous === undefined) return { errors: [], isFinal: false };
    const detail = "must not update from a positive integer to nil value";
    return { errors: [invalid(at, null, detail)], isFinal: false };
  }
  const errors = each(inRange(next, 0, maxInt32), at, next);
  if (errors.length === 0 && previous !== undefined && previous < next) {
    errors.push(invalid(at, next, "must be less than or equal to previous value"));
  }
  return { errors, isFinal: errors.length > 0 };
}

function validateTolerations(next: readonly Toleration[], { tolerations = [] }: PodSpec, at: FieldPath): FieldError[] {
  const butForSeconds = ({ key, operator, value, effect }: Toleration) =>
    JSON.stringify([key, operator, value, effect].map((field) => field ?? ""));
  const remainingTolerations = new Set(next.map(butForSeconds));
  if (tolerations.every((old) => remainingTolerations.has(butForSeconds(old)))) return validateAllTolerations(next, at);
  return [forbidden(at, "existing toleration can not be modified except its tolerationSeconds")];
}

function validateGates(
  next: readonly PodSchedulingGate[],
  { schedulingGates = [] }: PodSpec,
  at: FieldPath,
): FieldError[] {
  const knownGates = new Set(schedulingGates.map(({ name }) => name));
  return next.flatMap(({ name }, index) => {
    if (knownGates.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(at.index(index).child("name"), detail)];
  });
}

export function validateEphemeralContainersUpdate(next: Pod, previous: Pod): FieldError[] {
  if (isMirror(previous.metadata.annotations)) {
    return [forbidden(rootPath, "static pods do not support ephemeral containers")];
  }
  const at = path("spec", "ephemeralContainers");
  const errors = validatePodMetadataAndSpec(next);
  for (const old of previous.spec.ephemeralContainers ?? []) {
    const name = JSON.stringify(old.name);
    const container = next.spec.ephemeralContainers?.find((container) => container.name === old.name);
    if (!container) errors.push(forbidden(at, `existing ephemeral containers ${name} may not be removed\n`));
    else if (!semanticEqual(old, container)) {
      const detail = `existing ephemeral containers ${name} may not be changed\n${jsonDiff(internalForm(ephemeralType, old), internalForm(ephemeralType, container))}`;
      errors.push(forbidden(at, detail));
    }
  }
  return errors;
}

function validateGatedUpdate(next: PodSpec, previous: PodSpec, path: FieldPath): GatedUpdate {
  if (!previous.schedulingGates?.length) return { errors: [], spec: next };
  const errors: FieldError[] = [];
  const spec: PodSpec = { ...next };
  if (!semanticEqual(next.nodeSelector, previous.nodeSelector)) {
    errors.push(...validateNodeSelector(next.nodeSelector ?? {}, previous.nodeSelector ?? {}, path));
    if (previous.nodeSelector) spec.nodeSelector = previous.nodeSelector;
    else delete spec.nodeSelector;
  }
  const [nextAffinity, old] = [next.affinity?.nodeAffinity, previous.affinity?.nodeAffinity];
  if (!semanticEqual(nextAffinity, old)) {
    errors.push(...validateNodeAffinity(nextAffinity, old, path.child("affinity", "nodeAffinity")));
    const { nodeAffinity: _, ...otherAffinity } = next.affinity ?? {};
    spec.affinity = old ? { ...otherAffinity, nodeAffinity: old } : otherAffinity;
    if (!previous.affinity && Object.keys(spec.affinity).length === 0) delete spec.affinity;
  }
  return { errors, spec };
}

function validateNodeSelector(next: Labels, previous: Labels, path: FieldPath): FieldError[] {
  const isAdded = Object.entries(previous).every(([key, value]) => next[key] === value);
  if (isAdded) return [];
  return [
    invalid(
      path.child("nodeSelector"),
      next,
      "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    ),
  ];
}

function validateNodeAffinity(
  next: NodeAffinity | undefined,
  previous: NodeAffinity | undefined,
  path: FieldPath,
): FieldError[] {
  const old = previous?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!old) return [];
  const at = path.child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
  const terms = next?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length !== old.nodeSelectorTerms.length) {
    return [
      invalid(
        at,
        terms.map((term) => internalForm(termType, term)),
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
      ),
    ];
  }
  return old.nodeSelectorTerms.flatMap((term, index) => {
    const nextTerm = terms[index] ?? {};
    return isAddition(nextTerm, term)
      ? []
      : [
          invalid(
            at.index(index),
            internalForm(termType, nextTerm),
            "only additions are allowed (no mutations or deletions)",
          ),
        ];
  });
}

function isAddition(next: NodeSelectorTerm, previous: NodeSelectorTerm): boolean {
  const { matchExpressions: expressions = [], matchFields: fields = [] } = previous;
  // An empty term matches nothing, so adding requirements would let it match more.
  if (expressions.length === 0 && fields.length === 0) return semanticEqual(next, previous);
  const begins = (list: readonly unknown[] | undefined, head: readonly unknown[]) =>
    semanticEqual((list ?? []).slice(0, head.length), head);
  return begins(next.matchExpressions, expressions) && begins(next.matchFields, fields);
}
