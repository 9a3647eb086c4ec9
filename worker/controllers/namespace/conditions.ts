// The conditions of a namespace that is being deleted, with upstream's words.
import type { NamespaceCondition } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { ContentLeft } from "./content.ts";

interface Finding {
  readonly reason: string;
  readonly message: string;
}

/** Reasons and messages, in the order in which the conditions are kept. */
const fine: Readonly<Record<string, Finding>> = {
  NamespaceDeletionDiscoveryFailure: {
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  NamespaceDeletionContentFailure: {
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
  NamespaceContentRemaining: { reason: "ContentRemoved", message: "All content successfully removed" },
  NamespaceFinalizersRemaining: {
    reason: "ContentHasNoFinalizers",
    message: "All content-preserving finalizers finished",
  },
};

/** The conditions after a pass; the same array when nothing in it changed. */
export function contentConditions(
  current: readonly NamespaceCondition[] | undefined,
  left: ContentLeft,
  nowMs: number,
): NamespaceCondition[] | undefined {
  const found = findings(left);
  const conditions = [...(current ?? [])];
  let changed = false;
  for (const [type, good] of Object.entries(fine)) {
    const wanted = found[type] ?? good;
    const status = found[type] ? "True" : "False";
    const at = conditions.findIndex((one) => one.type === type);
    const old = conditions[at];
    if (old && old.status === status && old.reason === wanted.reason && old.message === wanted.message) continue;
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : rfc3339(nowMs);
    conditions.splice(at < 0 ? conditions.length : at, 1, { type, status, lastTransitionTime, ...wanted });
    changed = true;
  }
  return changed ? conditions : (current as NamespaceCondition[] | undefined);
}

function findings(left: ContentLeft): Readonly<Record<string, Finding>> {
  const found: Record<string, Finding> = {};
  if (left.failures.length > 0) {
    const all = [...left.failures].sort().join(", ");
    found.NamespaceDeletionContentFailure = {
      reason: "ContentDeletionFailed",
      message: `Failed to delete all resource types, ${left.failures.length} remaining: ${all}`,
    };
  }
  if (left.remaining.size > 0) {
    const each = [...left.remaining].map(
      ([kind, count]) => `${kind.plural}.${kind.group} has ${count} resource instances`,
    );
    found.NamespaceContentRemaining = {
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${each.sort().join(", ")}`,
    };
  }
  if (left.finalizers.size > 0) {
    const each = [...left.finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
    found.NamespaceFinalizersRemaining = {
      reason: "SomeFinalizersRemain",
      message: `Some content in the namespace has finalizers remaining: ${each.sort().join(", ")}`,
    };
  }
  return found;
}
