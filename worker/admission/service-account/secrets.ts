// Checks the secrets of a pod, which its account or its being a mirror pod can restrict.
import type { Container, Pod, ServiceAccount } from "../../../shared/k8s/api/core-v1.ts";

/** Checks a mirror pod. It represents a pod that the kubelet runs itself, so it cannot use accounts or secrets. */
export function mirrorPodProblem({ spec }: Pod): string | undefined {
  if (spec.serviceAccountName) return "a mirror pod may not reference service accounts";
  const volumes = spec.volumes ?? [];
  const sources = volumes.flatMap((volume) => volume.projected?.sources ?? []);
  const namesSecret =
    volumes.some((volume) => volume.secret) ||
    sources.some((source) => source.secret) ||
    (spec.imagePullSecrets?.length ?? 0) > 0 ||
    containersOf(spec).some(({ item: { env = [], envFrom = [] } }) =>
      [...env.map((variable) => variable.valueFrom?.secretKeyRef), ...envFrom.map((source) => source.secretRef)].some(
        Boolean,
      ),
    );
  if (namesSecret) return "a mirror pod may not reference secrets";
  const usesToken = sources.some((source) => source.serviceAccountToken);
  return usesToken ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}

/** Checks the secrets of a pod whose account enforces mountable secrets. */
export function limitSecretReferences({ spec }: Pod, account: ServiceAccount): string | undefined {
  const mountable = new Set((account.secrets ?? []).map(({ name }) => name));
  const because = `service account ${account.metadata.name ?? ""} does not reference that secret`;
  for (const { secret } of spec.volumes ?? []) {
    if (!secret || mountable.has(secret.secretName)) continue;
    return `volume with secret.secretName="${secret.secretName ?? ""}" is not allowed because ${because}`;
  }
  for (const { what, item } of containersOf(spec)) {
    const problem = containerProblem(`${what} ${item.name}`, item, mountable, because);
    if (problem) return problem;
  }
  const pullable = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const at = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pullable.has(name));
  const name = spec.imagePullSecrets?.[at]?.name;
  if (at < 0) return undefined;
  const why = `service account ${account.metadata.name ?? ""} does not reference that imagePullSecret`;
  return `imagePullSecrets[${at}].name="${name ?? ""}" is not allowed because ${why}`;
}

/** Checks the secrets of ephemeral containers that are added to a running pod. */
export function ephemeralSecretProblem({ spec }: Pod, account: ServiceAccount): string | undefined {
  const mountable = new Set((account.secrets ?? []).map(({ name }) => name));
  const because = `service account ${account.metadata.name ?? ""} does not reference that secret`;
  for (const container of spec.ephemeralContainers ?? []) {
    const problem = containerProblem(`ephemeral container ${container.name}`, container, mountable, because);
    if (problem) return problem;
  }
  return undefined;
}

function containerProblem(
  who: string,
  { env = [], envFrom = [] }: Pick<Container, "env" | "envFrom">,
  mountable: ReadonlySet<string | undefined>,
  because: string,
): string | undefined {
  const refuse = (where: string, secret = "") =>
    `${who} with ${where} referencing secret.secretName="${secret}" is not allowed because ${because}`;
  for (const { name, valueFrom } of env) {
    const reference = valueFrom?.secretKeyRef;
    if (reference && !mountable.has(reference.name)) return refuse(`envVar ${name}`, reference.name);
  }
  for (const { secretRef } of envFrom) {
    if (secretRef && !mountable.has(secretRef.name)) return refuse("envFrom", secretRef.name);
  }
  return undefined;
}

function containersOf(spec: Pod["spec"]): { what: string; item: Container }[] {
  return [
    ...(spec.initContainers ?? []).map((item) => ({ what: "init container", item })),
    ...spec.containers.map((item) => ({ what: "container", item })),
  ];
}
