// The annotations of Deployments and their ReplicaSets: revisions, their history, and the desired sizes.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";

type Annotations = Readonly<Record<string, string>>;

export const annotations = {
  revision: "deployment.kubernetes.io/revision",
  revisionHistory: "deployment.kubernetes.io/revision-history",
  desiredReplicas: "deployment.kubernetes.io/desired-replicas",
  maxReplicas: "deployment.kubernetes.io/max-replicas",
  /** The former `spec.rollbackTo` of the first API versions. */
  rollbackTo: "deprecated.deployment.rollback.to",
} as const;

/** The annotations of a Deployment that its ReplicaSets do not inherit. */
const notInherited: ReadonlySet<string> = new Set([
  ...Object.values(annotations),
  "kubectl.kubernetes.io/last-applied-configuration",
]);

/** The maximum length of the revision history in characters. The oldest revisions are dropped first. */
const historyLength = 2000;

export function inheritedAnnotations(from: Annotations | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => !notInherited.has(key)));
}

export function ownAnnotations(from: Annotations | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => notInherited.has(key)));
}

/** Returns the revision: 0 without an annotation, undefined if it is not a 64-bit number. */
export function revisionOf(object: KubeObject): bigint | undefined {
  const text = object.metadata.annotations?.[annotations.revision];
  return text === undefined ? 0n : integer(text);
}

export function maxRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.reduce((most, set) => larger(most, revisionOf(set) ?? 0n), 0n);
}

/** Returns the second highest revision; 0 if there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): bigint {
  const revisions = sets.map((set) => revisionOf(set) ?? 0n).sort(compareRevisions);
  return revisions.at(-2) ?? 0n;
}

export function compareRevisions(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function desiredReplicasOf(set: ReplicaSet): number | undefined {
  return replicas(set.metadata.annotations?.[annotations.desiredReplicas]);
}

export function maxReplicasOf(set: ReplicaSet): number | undefined {
  return replicas(set.metadata.annotations?.[annotations.maxReplicas]);
}

export function replicasAnnotations(desired: number, max: number): Record<string, string> {
  return { [annotations.desiredReplicas]: String(desired), [annotations.maxReplicas]: String(max) };
}

/**
 * Returns the annotations of the new ReplicaSet (upstream's `SetNewReplicaSetAnnotations`). After a rollback, its earlier revision is added
 * to its history.
 */
export function newSetAnnotations(deployment: Deployment, old: Annotations, revision: bigint): Record<string, string> {
  const inherited = { ...old, ...inheritedAnnotations(deployment.metadata.annotations) };
  const oldText = old[annotations.revision];
  const oldRevision = oldText ? integer(oldText) : 0n;
  if (oldRevision === undefined) return { ...old };
  if (oldRevision >= revision) return inherited;
  const history = oldText === undefined ? {} : extendedHistory(old[annotations.revisionHistory] ?? "", oldText);
  return { ...inherited, ...history, [annotations.revision]: String(revision) };
}

function extendedHistory(history: string, revision: string): Record<string, string> {
  const revisions = history === "" ? [] : history.split(",");
  let length = history === "" ? 0 : history.length + revision.length + 1;
  while (length > historyLength && revisions.length > 0) length -= (revisions.shift() ?? "").length + 1;
  if (length > historyLength) return {};
  return { [annotations.revisionHistory]: [...revisions, revision].join(",") };
}

const int64 = 2n ** 63n;

export function integer(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value < int64 && value >= -int64 ? value : undefined;
}

function replicas(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  return Number(text) < 2 ** 31 ? Number(text) : undefined;
}
