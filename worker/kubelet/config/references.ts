// The ConfigMaps, Secrets and claims that a pod references, and the problems with them, in the kubelet's words.
import type { Container, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";

export type DataKind = "claim" | "configmap" | "resourceclaim" | "secret";

/**
 * Returns the keys of a ConfigMap or Secret; the facts `bound`, `attachable` and `attached` of a volume claim; or the uid, owners and users
 * of a device claim. Returns undefined if the object does not exist.
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
  /** The object that has to change: `configmap/<namespace>/<name>`. */
  readonly waitsFor: string;
  /** The reason of the event; default: `FailedMount`. */
  readonly reason?: string;
  /** Whether the kubelet waits without an event. */
  readonly isQuiet?: boolean;
}

/** Returns why the pod's volumes cannot be mounted. */
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
      const problem = check(reference);
      if (!problem) continue;
      return { ...problem, message: `MountVolume.SetUp failed for volume "${volume.name}" : ${problem.message}` };
    }
  }
  return undefined;
}

/** Checks the claim of a volume. The scheduler waits until claims are bound, but a pod with a preset node name skips the scheduler. */
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

/** Returns why a container's environment cannot be created. */
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
    const problem = check(reference);
    if (problem) return problem;
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
    keys: (source.items ?? []).map((item) => item.key),
  };
}

function fromKey(
  kind: DataKind,
  source: { readonly name?: string; readonly key: string; readonly optional?: boolean },
) {
  return { kind, name: source.name ?? "", optional: source.optional ?? false, keys: [source.key] };
}

/** Returns a check of references. The keys of an object are looked up once, however many references name it. */
function checkOf(
  namespace: string,
  lookup: Lookup,
  missing: (kind: DataKind, key: string, namespace: string, name: string) => string,
): (reference: Reference) => Problem | undefined {
  const keysByObject = new Map<string, ReadonlySet<string> | undefined>();
  return ({ kind, name, optional, keys }) => {
    // This ConfigMap is created in every namespace a moment after the namespace, so pods do not wait for it.
    if (optional || (kind === "configmap" && name === "kube-root-ca.crt")) return undefined;
    const waitsFor = `${kind}/${namespace}/${name}`;
    if (!keysByObject.has(waitsFor)) {
      const keys = lookup(kind, namespace, name);
      keysByObject.set(waitsFor, keys && new Set(keys));
    }
    const present = keysByObject.get(waitsFor);
    if (!present) return { message: `${kind} "${name}" not found`, waitsFor };
    const key = keys.find((requiredKey) => !present.has(requiredKey));
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
