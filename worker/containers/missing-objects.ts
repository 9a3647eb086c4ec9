// The Secrets and ConfigMaps without which the containers of a pod cannot start.
import type { Container, Pod, Volume } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { secrets } from "../kinds/core/secret.ts";
import type { Client } from "../registry/client.ts";

/** The ConfigMap that the cluster creates in every namespace. */
const rootCertificate = "kube-root-ca.crt";

export interface MissingObject {
  readonly kind: typeof secrets | typeof configMaps;
  readonly name: string;
  /** The keys that the pod names. None: it uses all. */
  readonly keys: readonly string[];
}

interface Reference {
  readonly kind: MissingObject["kind"];
  readonly name: string | undefined;
  readonly keys?: readonly string[];
  readonly optional?: boolean | undefined;
}

/** Returns what the cluster lacks of the Secrets and ConfigMaps that a pod needs, each once. */
export function missingObjects(client: Client, { metadata: { namespace = "" }, spec }: Pod): readonly MissingObject[] {
  const missing = new Map<string, { kind: MissingObject["kind"]; name: string; keys: Set<string> }>();
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const references = [...(spec.volumes ?? []).flatMap(referencesOfVolume), ...containers.flatMap(referencesOf)];
  for (const { kind, name = "", keys = [], optional } of references) {
    if (name === "" || name === rootCertificate || optional || client.get<KubeObject>(kind, namespace, name)) continue;
    const id = `${kind.kind}/${name}`;
    const entry = missing.get(id) ?? { kind, name, keys: new Set<string>() };
    for (const key of keys) entry.keys.add(key);
    missing.set(id, entry);
  }
  return [...missing.values()].map(({ kind, name, keys }) => ({ kind, name, keys: [...keys] }));
}

function referencesOfVolume({ secret, configMap, projected }: Volume): Reference[] {
  const keysOf = (items: readonly { readonly key: string }[] = []) => items.map(({ key }) => key);
  const references: Reference[] = [];
  if (secret)
    references.push({ kind: secrets, name: secret.secretName, keys: keysOf(secret.items), optional: secret.optional });
  if (configMap)
    references.push({
      kind: configMaps,
      name: configMap.name,
      keys: keysOf(configMap.items),
      optional: configMap.optional,
    });
  for (const source of projected?.sources ?? []) {
    const { secret: ofSecret, configMap: ofConfigMap } = source;
    if (ofSecret) references.push({ ...ofSecret, kind: secrets, name: ofSecret.name, keys: keysOf(ofSecret.items) });
    if (ofConfigMap)
      references.push({ ...ofConfigMap, kind: configMaps, name: ofConfigMap.name, keys: keysOf(ofConfigMap.items) });
  }
  return references;
}

function referencesOf({ env = [], envFrom = [] }: Container): Reference[] {
  const references: Reference[] = [];
  for (const { valueFrom } of env) {
    const { secretKeyRef: secret, configMapKeyRef: configMap } = valueFrom ?? {};
    if (secret) references.push({ kind: secrets, name: secret.name, keys: [secret.key], optional: secret.optional });
    if (configMap)
      references.push({ kind: configMaps, name: configMap.name, keys: [configMap.key], optional: configMap.optional });
  }
  for (const { secretRef, configMapRef } of envFrom) {
    if (secretRef) references.push({ kind: secrets, name: secretRef.name, optional: secretRef.optional });
    if (configMapRef) references.push({ kind: configMaps, name: configMapRef.name, optional: configMapRef.optional });
  }
  return references;
}
