// ServiceAccount: sets the service account of each pod, and mounts a volume with the account's token, the cluster's CA and the namespace.
import type { Container, Pod, ServiceAccount, Volume, VolumeMount } from "../../../shared/k8s/api/core-v1.ts";
import { NotYetCreated } from "../../../shared/k8s/not-yet-created.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { serviceAccounts } from "../../kinds/core/service-account.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { newForbidden } from "../common/errors.ts";
import { ephemeralSecretProblem, mirrorPodProblem, limitSecretReferences } from "./secrets.ts";
import { writtenObject } from "../common/handled.ts";

const defaultName = "default";
const mirrorAnnotation = "kubernetes.io/config.mirror";
const enforceAnnotation = "kubernetes.io/enforce-mountable-secrets";
const volumePrefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/**
 * The lifetime of injected tokens: an hour and seven seconds. Upstream recognizes their requests by this value
 * (WarnOnlyBoundTokenExpirationSeconds).
 */
const tokenSeconds = 3607;

export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  mutate(request) {
    const pod = writtenObject(pods, request, "CREATE")?.object;
    if (!pod) return;
    // Mirror pods stay as the kubelet created them.
    if (!isMirror(pod)) complete(pod, request);
    check(pod, request);
  },
  validate(request) {
    const pod = writtenObject(pods, request, "CREATE")?.object;
    if (pod) check(pod, request);
    else checkAdded(request);
  },
};

function complete(pod: Pod, request: AdmissionRequest): void {
  const { spec } = pod;
  spec.serviceAccountName ||= defaultName;
  // The deprecated name of the same field.
  spec.serviceAccount = spec.serviceAccountName;
  const account = accountOf(request, spec.serviceAccountName);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(pod, request);
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
    spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
  }
}

function check(pod: Pod, request: AdmissionRequest): void {
  const problem = isMirror(pod) ? mirrorPodProblem(pod) : accountProblem(pod, request);
  if (problem) throw newForbidden(request, problem);
}

/** Checks the secrets of ephemeral containers that are added to a running pod. */
function checkAdded(request: AdmissionRequest): void {
  const { kind, operation, subresource, object } = request;
  if (kind.resource !== pods.resource || operation !== "UPDATE" || subresource !== "ephemeralcontainers") return;
  // The resource determines the type.
  const problem = accountProblem(object as Pod, request, ephemeralSecretProblem);
  if (problem) throw newForbidden(request, problem);
}

function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

function accountOf(request: AdmissionRequest, name: string): ServiceAccount {
  const { namespace, context } = request;
  const account = context.get(serviceAccounts, namespace, name);
  if (account) return account;
  const absent = `serviceaccount ${JSON.stringify(name)} not found`;
  const refusal = newForbidden(request, `error looking up service account ${namespace}/${name}: ${absent}`);
  // The default account of a new namespace is created soon, so the write is retried.
  throw name === defaultName ? new NotYetCreated(refusal) : refusal;
}

function accountProblem(pod: Pod, request: AdmissionRequest, problemOf = limitSecretReferences): string | undefined {
  const name = pod.spec.serviceAccountName;
  if (!name) return `no service account specified for pod ${request.namespace}/${request.name}`;
  const account = accountOf(request, name);
  const isEnforced = ["1", "t", "T", "TRUE", "true", "True"].includes(
    account.metadata.annotations?.[enforceAnnotation] ?? "",
  );
  return isEnforced ? problemOf(pod, account) : undefined;
}

function mountToken({ spec }: Pod, { context }: AdmissionRequest): void {
  const existing = spec.volumes?.find((volume) => volume.name.startsWith(volumePrefix))?.name;
  const name = existing ?? `${volumePrefix}${context.random.suffix(5)}`;
  const mount = { name, readOnly: true, mountPath };
  const mounted = [...(spec.initContainers ?? []), ...spec.containers].map((container) => addMount(container, mount));
  if (!existing && mounted.includes(true)) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

/** Adds a mount. Returns false if the container already has a mount at that path. */
function addMount(container: Container, mount: VolumeMount): boolean {
  if (container.volumeMounts?.some((volumeMount) => volumeMount.mountPath === mountPath)) return false;
  container.volumeMounts = [...(container.volumeMounts ?? []), { ...mount }];
  return true;
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}
