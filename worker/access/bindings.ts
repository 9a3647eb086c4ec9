// Which bindings concern a user: an index by subject, made when first asked for after a binding changed.
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../../shared/k8s/api/rbac-v1.ts";
import { clusterRoleBindings } from "../kinds/rbac/cluster-role-binding.ts";
import { roleBindings } from "../kinds/rbac/role-binding.ts";
import type { Store } from "../store/store.ts";

/** One binding that applies to a user. */
export interface Bound {
  readonly roleRef: RoleRef;
  /** Where a Role is looked for. */
  readonly namespace: string;
  /** As upstream tells why: `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
  readonly source: string;
}

export interface Bindings {
  /** Those for the whole cluster, then those of the namespace, each by name. */
  of(user: UserInfo, namespace: string): Bound[];
}

interface Indexed extends Bound {
  /** The place among all bindings: several subjects may name one user, and then the binding counts once. */
  readonly order: number;
}

export function bindingsOf(store: Store): Bindings {
  let index: ReadonlyMap<string, readonly Indexed[]> | undefined;
  store.onChange(({ resource }) => {
    if (resource === clusterRoleBindings.resource || resource === roleBindings.resource) index = undefined;
  });
  return {
    of: (user, namespace) => {
      const known = (index ??= build(store));
      const subjects = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
      const places = namespace === "" ? [""] : ["", namespace];
      const found = places.flatMap((place) => subjects.flatMap((subject) => known.get(`${place} ${subject}`) ?? []));
      const byOrder = new Map(found.toReversed().map((one) => [one.order, one]));
      return [...byOrder.values()].sort((a, b) => a.order - b.order);
    },
  };
}

function build(store: Store): ReadonlyMap<string, readonly Indexed[]> {
  const index = new Map<string, Indexed[]>();
  let order = 0;
  // The store keeps what decoding of these very kinds gave.
  for (const one of store.list({ resource: clusterRoleBindings.resource })) add(one as ClusterRoleBinding, "");
  for (const one of store.list({ resource: roleBindings.resource }))
    add(one as RoleBinding, one.metadata.namespace ?? "");
  return index;

  function add({ kind, metadata, roleRef, subjects }: ClusterRoleBinding | RoleBinding, namespace: string): void {
    order++;
    const name = namespace === "" ? (metadata.name ?? "") : `${metadata.name}/${namespace}`;
    const of = `${kind} ${JSON.stringify(name)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)}`;
    for (const subject of subjects ?? []) {
      const who = whoIs(subject, namespace);
      if (!who) continue;
      const key = `${namespace} ${who}`;
      const list = index.get(key) ?? [];
      list.push({ order, roleRef, namespace, source: `${of} to ${describe(subject, namespace)}` });
      index.set(key, list);
    }
  }
}

/** A service account is the user that its tokens stand for. */
function whoIs({ kind, name, namespace = "" }: Subject, own: string): string | undefined {
  if (kind !== "ServiceAccount") return kind === "User" || kind === "Group" ? `${kind} ${name}` : undefined;
  const where = namespace || own;
  return where ? `User system:serviceaccount:${where}:${name}` : undefined;
}

function describe({ kind, name, namespace = "" }: Subject, own: string): string {
  return `${kind} ${JSON.stringify(kind === "ServiceAccount" ? `${name}/${namespace || own}` : name)}`;
}
