// The changes of stored objects when the control plane is upgraded: first those that a new API server reconciles when it starts, then what
// `kubeadm upgrade apply` writes. Repeating it changes nothing, so an interrupted upgrade is finished by another request.
import type { Deployment, DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { PolicyRule, Subject } from "../../../shared/k8s/api/rbac-v1.ts";
import { type Draft, type KubeObject } from "../../../shared/k8s/meta.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { clusterConfiguration } from "../../machine/control-plane.ts";
import { daemonSets } from "../../kinds/apps/daemon-set.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { accessPolicy } from "../bootstrap/access-policy.ts";
import { coreDnsImage } from "../bootstrap/core-dns.ts";
import { localApis } from "../bootstrap/local-apis.ts";
import type { Seed } from "../bootstrap/seed.ts";
import { clusterConfigurationText } from "../bootstrap/system/kubeadm-config.ts";
import { kubeProxyImage } from "../bootstrap/system/kube-proxy.ts";

const namespace = "kube-system";
const autoupdate = "rbac.authorization.kubernetes.io/autoupdate";

export function upgradeControlPlane(client: Client): void {
  const { release } = client;
  for (const seed of localApis(release)) createMissing(client, seed);
  for (const seed of accessPolicy(release)) reconcileAccess(client, seed);
  upgradeConfiguration(client);
  upgradeImage(client, deployments, "coredns", coreDnsImage, release.coreDns);
  upgradeImage(client, daemonSets, "kube-proxy", kubeProxyImage, release.tag);
}

function createMissing(client: Client, { kind, draft }: Seed): KubeObject | undefined {
  const { namespace: draftNamespace = "", name = "" } = draft.metadata ?? {};
  const stored = client.get(kind, draftNamespace, name);
  if (!stored) client.create(kind, draft);
  return stored;
}

/** A role or a binding. */
type Access = KubeObject & {
  readonly rules?: readonly PolicyRule[];
  readonly subjects?: readonly Subject[];
  readonly aggregationRule?: unknown;
};

/** Adds the rules and subjects that a role or binding lacks, unless its annotation forbids it (upstream: rbac/reconciliation). */
function reconcileAccess(client: Client, seed: Seed): void {
  // Every seed of the policy is of such a kind.
  const stored: Access | undefined = createMissing(client, seed);
  if (!stored || stored.metadata.annotations?.[autoupdate] === "false" || stored.aggregationRule) return;
  const expected = seed.draft as Draft<Access>;
  const rules = missingIn(stored.rules, expected.rules);
  const subjects = missingIn(stored.subjects, expected.subjects);
  if (rules.length + subjects.length === 0) return;
  // The missing entries have the form of the policy.
  const reconciled = {
    ...stored,
    ...(rules.length > 0 ? { rules: [...(stored.rules ?? []), ...rules] } : {}),
    ...(subjects.length > 0 ? { subjects: [...(stored.subjects ?? []), ...subjects] } : {}),
  } as Access;
  client.update(seed.kind, reconciled);
}

function missingIn<T>(stored: readonly T[] = [], expected: readonly T[] = []): readonly T[] {
  return expected.filter((entry) => !stored.some((candidate) => semanticEqual(candidate, entry)));
}

/** The static pods follow the configuration: see `worker/kubelet/static-pods.ts`. */
function upgradeConfiguration(client: Client): void {
  const stored = client.get(configMaps, namespace, clusterConfiguration);
  if (!stored) return;
  const data = { ...stored.data, ClusterConfiguration: clusterConfigurationText(client) };
  client.update(configMaps, { ...stored, data });
}

/** Sets the tag of an add-on's image, if the add-on still uses kubeadm's image. */
function upgradeImage<T extends Deployment | DaemonSet>(
  client: Client,
  kind: Kind<T>,
  name: string,
  repository: string,
  tag: string,
): void {
  const stored = client.get(kind, namespace, name);
  const { template } = stored?.spec ?? {};
  if (!stored || !template?.spec.containers.some(({ image }) => image?.startsWith(`${repository}:`))) return;
  const containers = template.spec.containers.map((container) =>
    container.image?.startsWith(`${repository}:`) ? { ...container, image: `${repository}:${tag}` } : container,
  );
  const spec = { ...stored.spec, template: { ...template, spec: { ...template.spec, containers } } };
  // A workload with another image is of the same kind.
  client.update(kind, { ...stored, spec } as unknown as Draft<T>);
}
