// Resolves the rules that RBAC grants a user, role by role (upstream: DefaultRuleResolver).
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { ClusterRole, PolicyRule, Role, RoleRef } from "../../shared/k8s/api/rbac-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { clusterRoles } from "../kinds/rbac/cluster-role.ts";
import { roles } from "../kinds/rbac/role.ts";
import { bindingsOf, type RoleReads } from "./bindings.ts";

/** The rules of one binding's role, or the error of resolving them. */
export interface Grant {
  readonly source: string;
  readonly role: string;
  readonly rules: readonly PolicyRule[];
  readonly error: string;
}

export interface GrantsOfStore {
  /** Yields a grant for each binding of the user, in the namespace and in the cluster. */
  of(user: UserInfo, namespace: string): Generator<Grant>;
  /** Throws 404 if the role does not exist. */
  rulesOfRole(role: Pick<RoleRef, "kind" | "name">, namespace: string): readonly PolicyRule[];
}

export function grantsOf(store: RoleReads): GrantsOfStore {
  const bindings = bindingsOf(store);
  const rulesOfRole: GrantsOfStore["rulesOfRole"] = ({ kind, name }, namespace) => {
    const roleKind = kind === "Role" ? roles : clusterRoles;
    const role = store.get({ resource: roleKind.resource, namespace: kind === "Role" ? namespace : "", name });
    // Upstream's listers use the name of the kind, not of the resource.
    if (!role) throw ApiError.notFound({ group: roleKind.group, name: roleKind.singular }, name);
    // The store has decoded objects of this kind. The JSON of a role without rules has no `rules`.
    return (role as Role | ClusterRole).rules ?? [];
  };
  return {
    rulesOfRole,
    of: function* (user, namespace) {
      for (const { roleRef, namespace: bindingNamespace, source } of bindings.of(user, namespace)) {
        try {
          yield { source, role: roleRef.name, rules: rulesOfRole(roleRef, bindingNamespace), error: "" };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          yield { source, role: roleRef.name, rules: [], error: error.message };
        }
      }
    },
  };
}
