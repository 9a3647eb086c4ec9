// Warnings about existing pods that violate a stricter level of their namespace. Running pods are not changed.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { type LevelVersion, levelText, servedLevel } from "./policy.ts";
import { violationsOf } from "./standards.ts";

const maxPods = 3000;

export function existingPodWarnings({ name, context }: AdmissionRequest, level: LevelVersion): string[] {
  const all = oneOfEachOwnerFirst([...context.list(pods, name)]);
  const names = new Map<string, string[]>();
  for (const pod of all.slice(0, maxPods)) {
    const reasons = violationsOf(pod, servedLevel({ context }, level)).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const text = reasons.join(", ");
    names.set(text, [...(names.get(text) ?? []), pod.metadata.name ?? ""]);
  }
  const violations = [...names].map(([text, podNames]) => `${namesText(podNames)}: ${text}`).sort();
  const levelName = levelText(level);
  return [
    ...(all.length > maxPods
      ? [`new PodSecurity enforce level only checked against the first ${maxPods} of ${all.length} existing pods`]
      : []),
    ...(violations.length > 0
      ? [`existing pods in namespace "${name}" violate the new PodSecurity enforce level "${levelName}"`]
      : []),
    ...violations,
  ];
}

/** Orders pods so that one pod of each controller comes first, because the others are alike. */
function oneOfEachOwnerFirst(all: readonly Pod[]): Pod[] {
  const owners = new Set<string>();
  const isAlike = ({ metadata }: Pod) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (owner === undefined) return false;
    const isKnown = owners.has(owner);
    owners.add(owner);
    return isKnown;
  };
  const groups = Map.groupBy(all, isAlike);
  return [...(groups.get(false) ?? []), ...(groups.get(true) ?? [])];
}

function namesText(names: readonly string[]): string {
  const first = [...names].sort()[0] ?? "";
  if (names.length === 1) return first;
  return `${first} (and ${names.length - 1} other pod${names.length === 2 ? "" : "s"})`;
}
