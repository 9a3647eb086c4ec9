// What may be changed of a pod that still waits behind scheduling gates: it may be told more about where to run.
import type { NodeAffinity, NodeSelectorTerm, PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, type FieldPath, invalid } from "../../../shared/k8s/field.ts";
import { internalForm } from "../internal-form.ts";

export interface GatedUpdate {
  readonly errors: FieldError[];
  /** The spec with node selector and node affinity put back to what they were. */
  readonly spec: PodSpec;
}

export function validateGatedUpdate(next: PodSpec, previous: PodSpec, path: FieldPath): GatedUpdate {
  if (!previous.schedulingGates?.length) return { errors: [], spec: next };
  const errors: FieldError[] = [];
  const spec: PodSpec = { ...next };
  if (!semanticEqual(next.nodeSelector, previous.nodeSelector)) {
    errors.push(...validateNodeSelector(next.nodeSelector ?? {}, previous.nodeSelector ?? {}, path));
    if (previous.nodeSelector) spec.nodeSelector = previous.nodeSelector;
    else delete spec.nodeSelector;
  }
  const [given, old] = [next.affinity?.nodeAffinity, previous.affinity?.nodeAffinity];
  if (!semanticEqual(given, old)) {
    errors.push(...validateNodeAffinity(given, old, path.child("affinity", "nodeAffinity")));
    const { nodeAffinity: _, ...others } = next.affinity ?? {};
    spec.affinity = old ? { ...others, nodeAffinity: old } : others;
    if (!previous.affinity && Object.keys(spec.affinity).length === 0) delete spec.affinity;
  }
  return { errors, spec };
}

const termType = "io.k8s.api.core.v1.NodeSelectorTerm";

type Labels = Readonly<Record<string, string>>;

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
    const given = terms[index] ?? {};
    return isAddition(given, term)
      ? []
      : [
          invalid(
            at.index(index),
            internalForm(termType, given),
            "only additions are allowed (no mutations or deletions)",
          ),
        ];
  });
}

function isAddition(next: NodeSelectorTerm, previous: NodeSelectorTerm): boolean {
  const { matchExpressions: expressions = [], matchFields: fields = [] } = previous;
  // An empty term matches nothing: adding to it would let it match.
  if (expressions.length === 0 && fields.length === 0) return semanticEqual(next, previous);
  const begins = (list: readonly unknown[] | undefined, head: readonly unknown[]) =>
    semanticEqual((list ?? []).slice(0, head.length), head);
  return begins(next.matchExpressions, expressions) && begins(next.matchFields, fields);
}
