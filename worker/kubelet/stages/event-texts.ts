// The messages of events that kubelets before 1.35 word in another way.
import { newestRelease } from "../../../shared/k8s/settings/release.ts";
import type { ContainerLife, PodLife } from "../life.ts";

export function presentText(life: PodLife, image: string): string {
  const text = `Container image "${image}" already present on machine`;
  return isBefore135(life) ? text : `${text} and can be accessed by the pod`;
}

export function createdText(life: PodLife, { spec }: ContainerLife): string {
  return isBefore135(life) ? `Created container: ${spec.name}` : "Container created";
}

export function startedText(life: PodLife, { spec }: ContainerLife): string {
  return isBefore135(life) ? `Started container ${spec.name}` : "Container started";
}

function isBefore135({ node }: PodLife): boolean {
  return (node.kubeletMinor ?? newestRelease.minor) < 35;
}
