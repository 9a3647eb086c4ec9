// Validates the annotations of pods.
import type { PodSpec } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid, rootPath } from "../../../../../shared/k8s/field.ts";
import { containersWithPaths } from "../../../common/checks.ts";

const mirrorKey = "kubernetes.io/config.mirror";
const deletionCostKey = "controller.kubernetes.io/pod-deletion-cost";
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

type Annotations = Readonly<Record<string, string>>;

export function isMirror(annotations: Annotations | undefined): boolean {
  return annotations?.[mirrorKey] !== undefined;
}

export function validatePodAnnotations(annotations: Annotations, spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const mirror = annotations[mirrorKey];
  if (mirror !== undefined && !spec.nodeName) {
    errors.push(invalid(path.key(mirrorKey), mirror, "must set spec.nodeName if mirror pod annotation is set"));
  }
  const cost = annotations[deletionCostKey];
  if (cost !== undefined && !isInt32(cost)) {
    errors.push(invalid(path.key(deletionCostKey), cost, "must be a 32bit integer"));
  }
  const names = new Set(containersWithPaths(spec, rootPath).map(({ container }) => container.name));
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(appArmorPrefix)) continue;
    const container = key.slice(appArmorPrefix.length);
    if (!names.has(container)) errors.push(invalid(path.key(key), container, "container not found"));
    if (!["", "runtime/default", "unconfined"].includes(profile) && !profile.startsWith("localhost/")) {
      errors.push(invalid(path.key(key), profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`));
    }
  }
  return errors;
}

export function validatePodAnnotationUpdates(next: Annotations, previous: Annotations, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(previous)) {
    if (next[key] === previous[key]) continue;
    if (key.startsWith(appArmorPrefix)) {
      errors.push(forbidden(path.key(key), "may not remove or update AppArmor annotations"));
    }
    if (key === mirrorKey) errors.push(forbidden(path.key(key), "may not remove or update mirror pod annotation"));
  }
  for (const key of Object.keys(next)) {
    if (Object.hasOwn(previous, key)) continue;
    if (key.startsWith(appArmorPrefix)) errors.push(forbidden(path.key(key), "may not add AppArmor annotations"));
    if (key === mirrorKey) errors.push(forbidden(path.key(key), "may not add mirror pod annotation"));
  }
  return errors;
}

/** Parses as Go does: a minus sign is allowed, leading zeros are not. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9][0-9]*|-0)$/.test(text) && Math.abs(Number(text)) < 2 ** 31 + (text.startsWith("-") ? 1 : 0);
}
