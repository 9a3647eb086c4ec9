// The orders of a Deployment's ReplicaSets.
import type { ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { compareRevisions, revisionOf } from "./annotations.ts";

type Compare = (a: ReplicaSet, b: ReplicaSet) => number;

/** Oldest first; within the same second by name. */
export const byCreation: Compare = (a, b) =>
  compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
  compareText(a.metadata.name, b.metadata.name);

/** Largest first; of the same size, oldest first. */
export const bySizeOlder: Compare = (a, b) => size(b) - size(a) || byCreation(a, b);

/** Largest first; of the same size, newest first. */
export const bySizeNewer: Compare = (a, b) => size(b) - size(a) || byCreation(b, a);

/** Lowest revision first. */
export const byRevision: Compare = (a, b) =>
  compareRevisions(revisionOf(a) ?? 0n, revisionOf(b) ?? 0n) || byCreation(a, b);

function size(set: ReplicaSet): number {
  return set.spec.replicas ?? 1;
}

function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
