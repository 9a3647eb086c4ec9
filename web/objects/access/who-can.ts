// Who may do something, by the roles and bindings of a cluster: each subject with what gives it. Knows no page.
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
  /** The plural, with its subresource: `pods/log`. */
  readonly resource: string;
  /** "" for any. */
  readonly name: string;
  /** "" for all of them. */
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
  /** Where; "" is everywhere. */
  readonly namespace: string;
  /** The only ones by name; empty: all. */
  readonly names: readonly string[];
}

export function whoCan(question: AccessAttributes, objects: AccessObjects): Grant[] {
  const clusterRoles = new Map(objects.clusterRoles.map((one) => [one.metadata.name, one.rules ?? []]));
  const roles = new Map(
    objects.roles.map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, one.rules ?? []]),
  );
  const found: Grant[] = [];
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
      found.push({ subject, binding, roleKind, roleName, namespace, names });
  };
  for (const binding of objects.clusterRoleBindings) add(binding, "", clusterRoles.get(binding.roleRef.name));
  for (const binding of objects.roleBindings) {
    const { namespace = "" } = binding.metadata;
    if (question.namespace === "" || namespace !== question.namespace) continue;
    const { kind, name } = binding.roleRef;
    add(binding, namespace, kind === "ClusterRole" ? clusterRoles.get(name) : roles.get(`${namespace}/${name}`));
  }
  return found;
}

/** As the authorizer matches: `*` is everything, `*` + `/log` that of every resource. */
function allows(rule: PolicyRule, { verb, group, resource, name }: AccessAttributes): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const subresource = resource.split("/")[1];
  const names = (list: readonly string[], wanted: string) => list.includes("*") || list.includes(wanted);
  const isResource =
    names(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`));
  const isNamed = name === "" || resourceNames.length === 0 || resourceNames.includes(name);
  return names(verbs, verb) && names(apiGroups, group) && isResource && isNamed;
}

/** As `--as` and `--as-group` want it. */
export function impersonationOf({ kind, name, namespace }: Subject): readonly string[] {
  if (kind === "Group") return ["--as=somebody", `--as-group=${name}`];
  return [`--as=${kind === "ServiceAccount" ? `system:serviceaccount:${namespace ?? ""}:${name}` : name}`];
}
