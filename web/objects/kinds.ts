// Groups the kinds of a sandbox for the list: built-in kinds by purpose, custom kinds by API group.
import { type Discovery, type Mapping, groupResource } from "../kubectl/cluster/discovery.ts";
import { compareText } from "../live/order.ts";

export interface KindGroup {
  /** The key of a message, or an API group. */
  readonly name: string;
  readonly kinds: readonly Mapping[];
}

const purposeKinds: Readonly<Record<string, readonly string[]>> = {
  workloads: [
    "pods",
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "replicasets.apps",
    "jobs.batch",
    "cronjobs.batch",
    "replicationcontrollers",
    "horizontalpodautoscalers.autoscaling",
    "poddisruptionbudgets.policy",
  ],
  network: [
    "services",
    "endpointslices.discovery.k8s.io",
    "ingresses.networking.k8s.io",
    "ingressclasses.networking.k8s.io",
    "networkpolicies.networking.k8s.io",
  ],
  configuration: ["configmaps", "secrets", "resourcequotas", "limitranges", "priorityclasses.scheduling.k8s.io"],
  storage: ["persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"],
  access: [
    "serviceaccounts",
    "roles.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "clusterrolebindings.rbac.authorization.k8s.io",
  ],
  cluster: ["nodes", "namespaces", "events", "customresourcedefinitions.apiextensions.k8s.io"],
};

const builtIn = /^$|^(apps|batch|autoscaling|policy)$|\.k8s\.io$/;

/** Groups the kinds that can be listed, each in the preferred version of its group. Users without write access do not see Secrets. */
export function kindGroups({ resources }: Discovery, mayWrite: boolean): KindGroup[] {
  const isShown = (mapping: Mapping) => mapping.isPreferred && mapping.verbs.includes("list");
  const listed = resources.filter((mapping) => isShown(mapping) && (mayWrite || groupResource(mapping) !== "secrets"));
  const byName = new Map(listed.map((mapping) => [groupResource(mapping), mapping]));
  const groups: KindGroup[] = Object.entries(purposeKinds).map(([name, names]) => ({
    name,
    kinds: names.flatMap((itemName) => byName.get(itemName) ?? []),
  }));
  const named = new Set(Object.values(purposeKinds).flat());
  const otherKinds = listed.filter(
    (mapping) => !named.has(groupResource(mapping)) && groupResource(mapping) !== "events.events.k8s.io",
  );
  const isCustom = ({ group }: Mapping) => !builtIn.test(group) || group === "gateway.networking.k8s.io";
  const custom = Map.groupBy(otherKinds.filter(isCustom), ({ group }) => group);
  for (const [name, kinds] of [...custom].sort(([a], [b]) => compareText(a, b)))
    groups.push({ name, kinds: byKind(kinds) });
  groups.push({ name: "others", kinds: byKind(otherKinds.filter((mapping) => !isCustom(mapping))) });
  return groups.filter(({ kinds }) => kinds.length > 0);
}

function byKind(kinds: readonly Mapping[]): Mapping[] {
  return [...kinds].sort((a, b) => compareText(a.kind, b.kind));
}
