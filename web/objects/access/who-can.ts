// Finds the subjects that may perform a request, from the roles and bindings of a cluster. Independent of the page.
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from "../../../shared/k8s/api/rbac-v1.ts";

export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  /** The plural name with its subresource: `pods/log`. */
  readonly resource: string;
  /** The name of the object, or empty for any. */
  readonly name: string;
  /** The namespace, or empty for all. */
  readonly namespace: string;
}

export interface AccessObjects {
  readonly roles: readonly Role[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly roleBindings: readonly RoleBinding[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
}

export interface Grant {
  readonly subject: Subject;
  readonly binding: RoleBinding | ClusterRoleBinding;
  readonly roleKind: string;
  readonly roleName: string;
  /** The namespace of the grant, or empty for all. */
  readonly namespace: string;
  /** The names that the grant is limited to. Empty if it is not limited. */
  readonly names: readonly string[];
}

export function whoCan(question: AccessAttributes, objects: AccessObjects): Grant[] {
  const clusterRoles = new Map(objects.clusterRoles.map((role) => [role.metadata.name, role.rules ?? []]));
  const roles = new Map(
    objects.roles.map((role) => [`${role.metadata.namespace}/${role.metadata.name}`, role.rules ?? []]),
  );
  const grants: Grant[] = [];
  const add = (
    binding: RoleBinding | ClusterRoleBinding,
    namespace: string,
    rules: readonly PolicyRule[] | undefined,
  ) => {
    const allowing = (rules ?? []).filter((rule) => allows(rule, question));
    if (allowing.length === 0) return;
    const isAny = allowing.some(({ resourceNames = [] }) => resourceNames.length === 0);
    const names = isAny ? [] : [...new Set(allowing.flatMap(({ resourceNames = [] }) => resourceNames))];
    const { kind: roleKind, name: roleName } = binding.roleRef;
    for (const subject of binding.subjects ?? [])
      grants.push({ subject, binding, roleKind, roleName, namespace, names });
  };
  for (const binding of objects.clusterRoleBindings) add(binding, "", clusterRoles.get(binding.roleRef.name));
  for (const binding of objects.roleBindings) {
    const { namespace = "" } = binding.metadata;
    if (question.namespace === "" || namespace !== question.namespace) continue;
    const { kind, name } = binding.roleRef;
    add(binding, namespace, kind === "ClusterRole" ? clusterRoles.get(name) : roles.get(`${namespace}/${name}`));
  }
  return grants;
}

/** Matches like the authorizer: `*` matches everything, and a resource of `*` with `/log` matches that subresource of every resource. */
function allows(rule: PolicyRule, { verb, group, resource, name }: AccessAttributes): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const subresource = resource.split("/")[1];
  const names = (list: readonly string[], itemName: string) => list.includes("*") || list.includes(itemName);
  const isResource =
    names(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`));
  const isNamed = name === "" || resourceNames.length === 0 || resourceNames.includes(name);
  return names(verbs, verb) && names(apiGroups, group) && isResource && isNamed;
}

/** Returns the values of `--as` and `--as-group`. */
export function impersonationOf({ kind, name, namespace }: Subject): readonly string[] {
  if (kind === "Group") return ["--as=somebody", `--as-group=${name}`];
  return [`--as=${kind === "ServiceAccount" ? `system:serviceaccount:${namespace ?? ""}:${name}` : name}`];
}
