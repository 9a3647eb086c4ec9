// The additional checks of the restricted level: hardening that a container must enable itself.
import type { Volume } from "../../../shared/k8s/api/core-v1.ts";
import { seccompProfile } from "./baseline.ts";
import { containersOf, inUserNamespace, isWindows, namesWhere, type PodLike } from "./subject.ts";
import { containersText, singularOrPlural, quotedList, settersText, sortedSet, type Violation } from "./wording.ts";

type Check = (pod: PodLike) => Violation | undefined;

export function notOnWindows(check: Check): Check {
  return (pod) => (isWindows(pod) ? undefined : check(pod));
}

export function notInUserNamespace(check: Check): Check {
  return (pod) => (inUserNamespace(pod) ? undefined : check(pod));
}

export function allowPrivilegeEscalation(pod: PodLike): Violation | undefined {
  const names = namesWhere(pod, (context) => context?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

export function droppedCapabilities({ spec }: PodLike): Violation | undefined {
  const containers = containersOf(spec).map(({ name, securityContext }) => ({
    name,
    drops: securityContext?.capabilities?.drop?.includes("ALL") === true,
    adds: (securityContext?.capabilities?.add ?? []).filter((capability) => capability !== "NET_BIND_SERVICE"),
  }));
  const missing = containers.filter(({ drops }) => !drops).map(({ name }) => name);
  const adding = containers.filter(({ adds }) => adds.length > 0);
  if (missing.length + adding.length === 0) return undefined;
  const added = quotedList(sortedSet(adding.flatMap(({ adds }) => adds)));
  const adders = containersText(adding.map(({ name }) => name));
  const details = [
    ...(missing.length > 0 ? [`${containersText(missing)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0 ? [`${adders} must not include ${added} in securityContext.capabilities.add`] : []),
  ];
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
}

const allowedVolumes: readonly (keyof Volume)[] = [
  ...(["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"] as const),
  ...(["persistentVolumeClaim", "projected", "secret"] as const),
];
const otherVolumes: readonly (keyof Volume)[] = [
  ...(["hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs"] as const),
  ...(["rbd", "flexVolume", "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte"] as const),
  ...(["azureDisk", "photonPersistentDisk", "portworxVolume", "scaleIO", "storageos"] as const),
];

export function restrictedVolumes({ spec }: PodLike): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((source) => volume[source] !== undefined));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const types = sortedSet(
    bad.map((volume) => otherVolumes.find((source) => volume[source] !== undefined) ?? "unknown"),
  );
  const uses = `${singularOrPlural(names, "uses", "use")} ${singularOrPlural(types, "restricted volume type")}`;
  return {
    reason: "restricted volume types",
    detail: `${singularOrPlural(names, "volume")} ${quotedList(names)} ${uses} ${quotedList(types)}`,
  };
}

export function runAsNonRoot(pod: PodLike): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const bad = namesWhere(pod, (context) => context?.runAsNonRoot === false);
  if (ofPod === false || bad.length > 0) {
    const detail = `${settersText(ofPod === false, bad)} must not set securityContext.runAsNonRoot=false`;
    return { reason, detail };
  }
  const missing = ofPod ? [] : namesWhere(pod, (context) => context?.runAsNonRoot === undefined);
  if (missing.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(missing)} must set securityContext.runAsNonRoot=true` };
}

export function runAsUser(pod: PodLike): Violation | undefined {
  const badPod = pod.spec.securityContext?.runAsUser === 0;
  const names = namesWhere(pod, (context) => context?.runAsUser === 0);
  if (!badPod && names.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${settersText(badPod, names)} must not set runAsUser=0` };
}

export function requiredSeccompProfile(pod: PodLike): Violation | undefined {
  const wrong = seccompProfile(pod);
  if (wrong || pod.spec.securityContext?.seccompProfile) return wrong;
  const missing = namesWhere(pod, (context) => context?.seccompProfile === undefined);
  if (missing.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containersText(missing)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
