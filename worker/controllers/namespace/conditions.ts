// Sets the conditions of a namespace that is being deleted, with upstream's messages.
import type { NamespaceCondition } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { ContentLeft } from "./content.ts";

interface Finding {
  readonly reason: string;
  readonly message: string;
}

/** The reasons and messages without problems, in the order of the conditions. */
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

/** Returns the conditions after a pass. Returns the same array if nothing changed. */
export function contentConditions(
  current: readonly NamespaceCondition[] | undefined,
  left: ContentLeft,
  nowMs: number,
): NamespaceCondition[] | undefined {
  const findingsByType = findings(left);
  const conditions = [...(current ?? [])];
  let changed = false;
  for (const [type, good] of Object.entries(fine)) {
    const desired = findingsByType[type] ?? good;
    const status = findingsByType[type] ? "True" : "False";
    const at = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[at];
    if (old && old.status === status && old.reason === desired.reason && old.message === desired.message) continue;
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : rfc3339(nowMs);
    conditions.splice(at < 0 ? conditions.length : at, 1, { type, status, lastTransitionTime, ...desired });
    changed = true;
  }
  return changed ? conditions : (current as NamespaceCondition[] | undefined);
}

function findings(left: ContentLeft): Readonly<Record<string, Finding>> {
  const findingsByType: Record<string, Finding> = {};
  if (left.failures.length > 0) {
    const all = [...left.failures].sort().join(", ");
    findingsByType.NamespaceDeletionContentFailure = {
      reason: "ContentDeletionFailed",
      message: `Failed to delete all resource types, ${left.failures.length} remaining: ${all}`,
    };
  }
  if (left.remaining.size > 0) {
    const each = [...left.remaining].map(
      ([kind, count]) => `${kind.plural}.${kind.group} has ${count} resource instances`,
    );
    findingsByType.NamespaceContentRemaining = {
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${each.sort().join(", ")}`,
    };
  }
  if (left.finalizers.size > 0) {
    const each = [...left.finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
    findingsByType.NamespaceFinalizersRemaining = {
      reason: "SomeFinalizersRemain",
      message: `Some content in the namespace has finalizers remaining: ${each.sort().join(", ")}`,
    };
  }
  return findingsByType;
}
