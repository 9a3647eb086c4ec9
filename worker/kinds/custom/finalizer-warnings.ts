// Finalizers of custom resources may be called anything; who adds one that may clash with others' is told.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";

const standard = ["orphan", "foregroundDeletion", "kubernetes"];

export function finalizerWarnings(next: KubeObject, previous: KubeObject | undefined): string[] {
  const before = previous?.metadata.finalizers ?? [];
  const added = [...new Set(next.metadata.finalizers ?? [])].filter((one) => !before.includes(one)).sort();
  return added.flatMap(warningsOf);
}

function warningsOf(finalizer: string): string[] {
  const of = `metadata.finalizers: ${JSON.stringify(finalizer)}`;
  const warnings = qualifiedName(finalizer).map((message) => `${of}: ${message}`);
  if (finalizer.includes("/") || standard.includes(finalizer)) return warnings;
  const path = finalizer.includes(".") ? " including a path (/)" : "";
  const others = "to avoid accidental conflicts with other finalizer writers";
  return [...warnings, `${of}: prefer a domain-qualified finalizer name${path} ${others}`];
}
