// Copies AppArmor profiles from annotations to container fields (upstream: applyAppArmorVersionSkew).
import type {
  AppArmorProfile,
  Container,
  EphemeralContainer,
  Pod,
  PodSpec,
} from "../../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";
import { type FieldPath, path } from "../../../../shared/k8s/field.ts";
import type { WriteContext } from "../../kind.ts";
import { validateAppArmor } from "./validation/security.ts";

const prefix = "container.apparmor.security.beta.kubernetes.io/";
const localhost = "localhost/";

export function applyAppArmorVersionSkew({ metadata, spec }: Pod, context: WriteContext): void {
  if (spec.os?.name === "windows" || !metadata.annotations) return;
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) {
    const key = prefix + container.name;
    const annotation = metadata.annotations[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = profileOf(annotation);
    // A profile that the pod has needs no container field.
    if (profile && semanticEqual(profile, spec.securityContext?.appArmorProfile)) continue;
    if (profile) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    const where = path("metadata", "annotations").key(key).toString();
    context.warn?.(`${where}: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
}

/** Returns the warning about the annotation of a template, which is not converted. */
export function appArmorTemplateWarning(
  spec: PodSpec,
  { name, securityContext }: Container | EphemeralContainer,
  { annotations }: ObjectMeta,
  at: FieldPath,
): string[] {
  const annotation = annotations?.[prefix + name];
  if (annotation === undefined || securityContext?.appArmorProfile) return [];
  const ofPod = spec.securityContext?.appArmorProfile;
  if (ofPod && semanticEqual(ofPod, profileOf(annotation))) return [];
  return [`${at.key(prefix + name)}: deprecated since v1.30; use the "appArmorProfile" field instead`];
}

/** Parses a profile; undefined if it is invalid. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  if (!annotation.startsWith(localhost)) return undefined;
  const profile: AppArmorProfile = { type: "Localhost", localhostProfile: annotation.slice(localhost.length) };
  return validateAppArmor(profile, path("profile")).length === 0 ? profile : undefined;
}
