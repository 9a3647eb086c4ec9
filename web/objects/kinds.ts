// The kinds of a sandbox as the list of them shows them: grouped as people look for them, custom ones by their API group.
import { type Discovery, type Mapping, groupResource } from "../kubectl/cluster/discovery.ts";
import { compareText } from "../live/order.ts";

export interface KindGroup {
  /** A key of the messages, or an API group. */
  readonly name: string;
  readonly kinds: readonly Mapping[];
}

const known: Readonly<Record<string, readonly string[]>> = {
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

/** Those that can be listed, each once, in its group's preferred version. Whoever may only look does not see Secrets. */
export function kindGroups({ resources }: Discovery, mayWrite: boolean): KindGroup[] {
  const isShown = (one: Mapping) => one.isPreferred && one.verbs.includes("list");
  const listed = resources.filter((one) => isShown(one) && (mayWrite || groupResource(one) !== "secrets"));
  const byName = new Map(listed.map((one) => [groupResource(one), one]));
  const groups: KindGroup[] = Object.entries(known).map(([name, names]) => ({
    name,
    kinds: names.flatMap((one) => byName.get(one) ?? []),
  }));
  const named = new Set(Object.values(known).flat());
  const others = listed.filter(
    (one) => !named.has(groupResource(one)) && groupResource(one) !== "events.events.k8s.io",
  );
  const isCustom = ({ group }: Mapping) => !builtIn.test(group) || group === "gateway.networking.k8s.io";
  const custom = Map.groupBy(others.filter(isCustom), ({ group }) => group);
  for (const [name, kinds] of [...custom].sort(([a], [b]) => compareText(a, b)))
    groups.push({ name, kinds: byKind(kinds) });
  groups.push({ name: "others", kinds: byKind(others.filter((one) => !isCustom(one))) });
  return groups.filter(({ kinds }) => kinds.length > 0);
}

function byKind(kinds: readonly Mapping[]): Mapping[] {
  return [...kinds].sort((a, b) => compareText(a.kind, b.kind));
}
