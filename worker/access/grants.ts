// The rules that RBAC grants a user, role by role (upstream: DefaultRuleResolver).
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { ClusterRole, PolicyRule, Role, RoleRef } from "../../shared/k8s/api/rbac-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { clusterRoles } from "../kinds/rbac/cluster-role.ts";
import { roles } from "../kinds/rbac/role.ts";
import type { Store } from "../store/store.ts";
import { bindingsOf } from "./bindings.ts";

/** Of one binding: what its role allows, or why that cannot be told. */
export interface Grant {
  readonly source: string;
  /** The role's name. */
  readonly role: string;
  readonly rules: readonly PolicyRule[];
  readonly error: string;
}

export interface GrantsOfStore {
  of(user: UserInfo, namespace: string): Generator<Grant>;
  /** Throws 404 where there is no such role. */
  rulesOfRole(role: Pick<RoleRef, "kind" | "name">, namespace: string): readonly PolicyRule[];
}

export function grantsOf(store: Store): GrantsOfStore {
  const bindings = bindingsOf(store);
  const rulesOfRole: GrantsOfStore["rulesOfRole"] = ({ kind, name }, namespace) => {
    const of = kind === "Role" ? roles : clusterRoles;
    const role = store.get({ resource: of.resource, namespace: kind === "Role" ? namespace : "", name });
    // Upstream's listers name the kind here, not the resource.
    if (!role) throw ApiError.notFound({ group: of.group, name: of.singular }, name);
    // The store keeps what decoding of this very kind gave; a role without rules has none in its JSON.
    return (role as Role | ClusterRole).rules ?? [];
  };
  return {
    rulesOfRole,
    of: function* (user, namespace) {
      for (const { roleRef, namespace: own, source } of bindings.of(user, namespace)) {
        try {
          yield { source, role: roleRef.name, rules: rulesOfRole(roleRef, own), error: "" };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          yield { source, role: roleRef.name, rules: [], error: error.message };
        }
      }
    },
  };
}
