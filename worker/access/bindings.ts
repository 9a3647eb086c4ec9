// Finds the bindings of a user through an index by subject. Built on first use after a binding changed.
import type { AuthorizerObjects, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../../shared/k8s/api/rbac-v1.ts";
import { clusterRoleBindings } from "../kinds/rbac/cluster-role-binding.ts";
import { roleBindings } from "../kinds/rbac/role-binding.ts";
import type { Store } from "../store/store.ts";

/** A binding that applies to a user. */
export interface UserBinding {
  readonly roleRef: RoleRef;
  /** The namespace in which a Role is looked up. */
  readonly namespace: string;
  /** Upstream's reason: `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
  readonly source: string;
}

export interface Bindings {
  /** Returns the cluster role bindings, then the role bindings of the namespace, each ordered by name. */
  of(user: UserInfo, namespace: string): UserBinding[];
}

interface IndexedBinding extends UserBinding {
  /** The position among all bindings. If several subjects match a user, the binding counts once. */
  readonly order: number;
}

/** The store, or the objects of a past state, which never change. */
export interface RoleReads extends AuthorizerObjects {
  onChange?: Store["onChange"];
}

export function bindingsOf(store: RoleReads): Bindings {
  let index: ReadonlyMap<string, readonly IndexedBinding[]> | undefined;
  store.onChange?.(({ resource }) => {
    if (resource === clusterRoleBindings.resource || resource === roleBindings.resource) index = undefined;
  });
  return {
    of: (user, namespace) => {
      const bindingsBySubject = (index ??= build(store));
      const subjects = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
      const namespaces = namespace === "" ? [""] : ["", namespace];
      const bindings = namespaces.flatMap((bindingNamespace) =>
        subjects.flatMap((subject) => bindingsBySubject.get(`${bindingNamespace} ${subject}`) ?? []),
      );
      const byOrder = new Map(bindings.toReversed().map((binding) => [binding.order, binding]));
      return [...byOrder.values()].sort((a, b) => a.order - b.order);
    },
  };
}

function build(store: RoleReads): ReadonlyMap<string, readonly IndexedBinding[]> {
  const index = new Map<string, IndexedBinding[]>();
  let order = 0;
  // The store has decoded objects of these kinds.
  for (const binding of store.list({ resource: clusterRoleBindings.resource })) add(binding as ClusterRoleBinding, "");
  for (const binding of store.list({ resource: roleBindings.resource }))
    add(binding as RoleBinding, binding.metadata.namespace ?? "");
  return index;

  function add({ kind, metadata, roleRef, subjects }: ClusterRoleBinding | RoleBinding, namespace: string): void {
    order++;
    const name = namespace === "" ? (metadata.name ?? "") : `${metadata.name}/${namespace}`;
    const of = `${kind} ${JSON.stringify(name)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)}`;
    for (const subject of subjects ?? []) {
      const user = userOfSubject(subject, namespace);
      if (!user) continue;
      const key = `${namespace} ${user}`;
      const list = index.get(key) ?? [];
      list.push({ order, roleRef, namespace, source: `${of} to ${describeSubject(subject, namespace)}` });
      index.set(key, list);
    }
  }
}

/** Returns the user or group of a subject. A service account is the user of its tokens. */
function userOfSubject({ kind, name, namespace = "" }: Subject, bindingNamespace: string): string | undefined {
  if (kind !== "ServiceAccount") return kind === "User" || kind === "Group" ? `${kind} ${name}` : undefined;
  const serviceAccountNamespace = namespace || bindingNamespace;
  return serviceAccountNamespace ? `User system:serviceaccount:${serviceAccountNamespace}:${name}` : undefined;
}

function describeSubject({ kind, name, namespace = "" }: Subject, bindingNamespace: string): string {
  return `${kind} ${JSON.stringify(kind === "ServiceAccount" ? `${name}/${namespace || bindingNamespace}` : name)}`;
}
