// The legacy token cleaner: marks a token that a ServiceAccount references as invalid after a year without use, and deletes it a year later.
import type { Pod, Secret, ServiceAccount, PodSpec, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { invalidSinceKey, lastUsedKey } from "../../../shared/k8s/token-secrets.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { serviceAccounts } from "../../kinds/core/service-account.ts";
import type { Client } from "../../registry/client.ts";
import { type Result, defineController, requestOf, watch } from "../../runtime/controller.ts";
import { accountNameKey, accountTokenType, accountUidKey } from "./tokens.ts";

const dayMs = 24 * 3_600_000;
/** The default of upstream's `--legacy-service-account-token-clean-up-period`. */
const periodMs = 365 * dayMs;
const trackingConfigMap = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };

export const legacyTokenCleaner = defineController({
  name: "legacy-service-account-token-cleaner",
  component: "legacy-service-account-token-cleaner",
  watches: [
    watch<Secret>(secrets, function* (next) {
      if (next?.type === accountTokenType) yield requestOf(next);
    }),
    watch<ServiceAccount>(serviceAccounts, function* (next) {
      const { namespace = "" } = next?.metadata ?? {};
      for (const { name = "" } of next?.secrets ?? []) yield { namespace, name };
    }),
  ],
  reconcile({ namespace, name }, { client, nowMs }): Result | undefined {
    const secret = client.get(secrets, namespace, name);
    if (!secret || secret.type !== accountTokenType || secret.metadata.deletionTimestamp) return undefined;
    if (!isReferencedByAccount(secret, client)) return undefined;
    const dueMs = Math.max(unusedSinceMs(secret), trackedSinceMs(client)) + periodMs;
    if (!Number.isFinite(dueMs)) return undefined;
    // If a pod still uses the token, upstream checks again after a day.
    if (nowMs < dueMs) return { afterMs: dueMs - nowMs };
    if (isMounted(name, client.each(pods, { namespace }))) return { afterMs: dayMs };
    const today = dateOf(nowMs);
    const { labels } = secret.metadata;
    const since = labels?.[invalidSinceKey] ?? "";
    if (Number.isNaN(Date.parse(since))) {
      const metadata = { ...secret.metadata, labels: { ...labels, [invalidSinceKey]: today } };
      client.update(secrets, { ...secret, metadata });
      return undefined;
    }
    const endMs = Date.parse(since) + periodMs + dayMs;
    if (nowMs < endMs) return { afterMs: endMs - nowMs };
    client.tryDelete(secrets, namespace, name, { resourceVersion: secret.metadata.resourceVersion ?? "" });
    return undefined;
  },
});

export function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the time of the last use, or of the creation. If the label is invalid, returns infinity, so the token is never due. */
function unusedSinceMs({ metadata }: Secret): number {
  const createdMs = metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
  const used = metadata.labels?.[lastUsedKey];
  if (used === undefined) return createdMs;
  const usedMs = Date.parse(used);
  return Number.isNaN(usedMs) ? Number.POSITIVE_INFINITY : Math.max(createdMs, usedMs + dayMs);
}

/** Returns the time from which the API server tracks usage: a day after the recorded date. Infinity if none is recorded. */
function trackedSinceMs(client: Client): number {
  const since = client.get(configMaps, trackingConfigMap.namespace, trackingConfigMap.name)?.data?.["since"] ?? "";
  const sinceMs = Date.parse(since);
  return Number.isNaN(sinceMs) ? Number.POSITIVE_INFINITY : sinceMs + dayMs;
}

/** Reports whether an account references the token. Only tokens that were created for accounts are referenced. */
function isReferencedByAccount({ metadata }: Secret, client: Client): boolean {
  const { annotations = {}, namespace = "" } = metadata;
  const account = client.get(serviceAccounts, namespace, annotations[accountNameKey] ?? "");
  const uid = annotations[accountUidKey];
  if (!account || (uid && uid !== account.metadata.uid)) return false;
  return account.secrets?.some(({ name }) => name === metadata.name) ?? false;
}

function isMounted(name: string, namespacePods: Iterable<Pod>): boolean {
  for (const pod of namespacePods) if (podSecretNames(pod.spec).has(name)) return true;
  return false;
}

function podSecretNames(spec: PodSpec): Set<string> {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const names = [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(({ envFrom = [], env = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(volumeSecrets),
  ];
  return new Set(names.flatMap((name) => name || []));
}

function volumeSecrets(volume: Volume): (string | undefined)[] {
  const { azureFile, cephfs, cinder, flexVolume, projected, rbd, secret, scaleIO, iscsi, storageos, csi } = volume;
  const sourcesWithSecretRef = [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos];
  return [
    azureFile?.secretName,
    secret?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...sourcesWithSecretRef.map((source) => source?.secretRef?.name),
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}
