// The ConfigMaps, Secrets and claims that a pod names, and what is wrong with what it asks of them, in the kubelet's words.
import type { Container, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";

export type DataKind = "claim" | "configmap" | "resourceclaim" | "secret";

/**
 * The keys of a ConfigMap or Secret, `bound`, `attachable` and `attached` of a claim that is, the uid, users and owner of a claim of devices; undefined if it
 * is not there.
 */
export type Lookup = (kind: DataKind, namespace: string, name: string) => readonly string[] | undefined;

interface Reference {
  readonly kind: DataKind;
  readonly name: string;
  readonly optional: boolean;
  readonly keys: readonly string[];
}

export interface Problem {
  readonly message: string;
  /** What has to change: `configmap/<namespace>/<name>`. */
  readonly waitsFor: string;
  /** The event's; default: `FailedMount`. */
  readonly reason?: string;
  /** The kubelet waits without a word. */
  readonly isQuiet?: boolean;
}

/** Why the pod's volumes cannot be mounted. */
export function mountProblem(pod: Pod, lookup: Lookup): Problem | undefined {
  const check = checkOf(pod.metadata.namespace ?? "", lookup, missingFile);
  for (const volume of pod.spec.volumes ?? []) {
    const unbound = claimProblem(pod, volume, lookup);
    if (unbound) return unbound;
    const references = [
      ...(volume.configMap ? [from("configmap", volume.configMap.name, volume.configMap)] : []),
      ...(volume.secret ? [from("secret", volume.secret.secretName, volume.secret)] : []),
      ...(volume.projected?.sources ?? []).flatMap(({ configMap, secret }) => [
        ...(configMap ? [from("configmap", configMap.name, configMap)] : []),
        ...(secret ? [from("secret", secret.name, secret)] : []),
      ]),
    ];
    for (const reference of references) {
      const found = check(reference);
      if (!found) continue;
      return { ...found, message: `MountVolume.SetUp failed for volume "${volume.name}" : ${found.message}` };
    }
  }
  return undefined;
}

/** The scheduler waits for claims to be bound; a pod that was placed by hand has not. */
function claimProblem({ metadata, spec: { nodeName = "" } }: Pod, volume: Volume, lookup: Lookup): Problem | undefined {
  if (!volume.persistentVolumeClaim && !volume.ephemeral) return undefined;
  const { namespace = "", name: podName = "" } = metadata;
  const name = volume.persistentVolumeClaim?.claimName ?? `${podName}-${volume.name}`;
  const present = lookup("claim", namespace, name);
  if (present?.includes("attachable") && !present.includes("attached")) {
    return { message: "volume is not attached", waitsFor: `attachment//${nodeName}`, isQuiet: true };
  }
  if (present?.includes("bound")) return undefined;
  const why = present
    ? "PVC is not bound"
    : `failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`;
  const list = `[${volume.name}]`;
  const message = `Unable to attach or mount volumes: unmounted volumes=${list}, unattached volumes=[], failed to process volumes=${list}: error processing PVC ${namespace}/${name}: ${why}`;
  return { message, waitsFor: `claim/${namespace}/${name}` };
}

/** Why a container's environment cannot be made. */
export function environmentProblem(pod: Pod, container: Container, lookup: Lookup): Problem | undefined {
  const check = checkOf(pod.metadata.namespace ?? "", lookup, missingKey);
  const references = [
    ...(container.envFrom ?? []).flatMap(({ configMapRef, secretRef }) => [
      ...(configMapRef ? [from("configmap", configMapRef.name, configMapRef)] : []),
      ...(secretRef ? [from("secret", secretRef.name, secretRef)] : []),
    ]),
    ...(container.env ?? []).flatMap(({ valueFrom }) => [
      ...(valueFrom?.configMapKeyRef ? [fromKey("configmap", valueFrom.configMapKeyRef)] : []),
      ...(valueFrom?.secretKeyRef ? [fromKey("secret", valueFrom.secretKeyRef)] : []),
    ]),
  ];
  for (const reference of references) {
    const found = check(reference);
    if (found) return found;
  }
  return undefined;
}

function from(
  kind: DataKind,
  name: string | undefined,
  source: { readonly optional?: boolean; readonly items?: readonly { readonly key: string }[] },
): Reference {
  return {
    kind,
    name: name ?? "",
    optional: source.optional ?? false,
    keys: (source.items ?? []).map((one) => one.key),
  };
}

function fromKey(
  kind: DataKind,
  source: { readonly name?: string; readonly key: string; readonly optional?: boolean },
) {
  return { kind, name: source.name ?? "", optional: source.optional ?? false, keys: [source.key] };
}

/** Many references may be to one object, so that its keys are looked up once. */
function checkOf(
  namespace: string,
  lookup: Lookup,
  missing: (kind: DataKind, key: string, namespace: string, name: string) => string,
): (reference: Reference) => Problem | undefined {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  return ({ kind, name, optional, keys }) => {
    // Every namespace gets this one a moment after it was made; its pods do not wait for it here.
    if (optional || (kind === "configmap" && name === "kube-root-ca.crt")) return undefined;
    const waitsFor = `${kind}/${namespace}/${name}`;
    if (!known.has(waitsFor)) {
      const found = lookup(kind, namespace, name);
      known.set(waitsFor, found && new Set(found));
    }
    const present = known.get(waitsFor);
    if (!present) return { message: `${kind} "${name}" not found`, waitsFor };
    const key = keys.find((one) => !present.has(one));
    return key === undefined ? undefined : { message: missing(kind, key, namespace, name), waitsFor };
  };
}

function missingFile(kind: DataKind, key: string): string {
  return kind === "secret"
    ? `references non-existent secret key: ${key}`
    : `configmap references non-existent config key: ${key}`;
}

function missingKey(kind: DataKind, key: string, namespace: string, name: string): string {
  return `couldn't find key ${key} in ${kind === "secret" ? "Secret" : "ConfigMap"} ${namespace}/${name}`;
}
