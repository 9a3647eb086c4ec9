// The shared behavior of RoleBindings and ClusterRoleBindings: defaults, validation and columns.
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../../../shared/k8s/api/rbac-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  notSupportedInOrder,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, pathSegmentName } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import type { Column } from "../kind.ts";
import { each } from "../common/checks.ts";

type Binding = RoleBinding | ClusterRoleBinding;

const group = "rbac.authorization.k8s.io";
const subjectKinds = ["ServiceAccount", "User", "Group"];

export function defaultBinding({ roleRef, subjects }: Binding): void {
  roleRef.apiGroup ||= group;
  for (const subject of subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group;
  }
}

/** Validates a binding. `kinds` are the kinds of roles that can be bound. */
export function validateBinding(
  { roleRef, subjects = [] }: Binding,
  kinds: readonly string[],
  { isNamespaced }: { readonly isNamespaced: boolean },
): FieldError[] {
  return [
    ...validateRoleRef(roleRef, kinds),
    ...subjects.flatMap((subject, at) => validateSubject(subject, isNamespaced, path("subjects").index(at))),
  ];
}

export function validateBindingUpdate({ roleRef: next }: Binding, { roleRef: previous }: Binding): FieldError[] {
  const isSame = (["apiGroup", "kind", "name"] as const).every((field) => next[field] === previous[field]);
  return isSame ? [] : [invalid(path("roleRef"), internalRef(next), "cannot change roleRef")];
}

export const bindingColumns: readonly Column<Binding>[] = [
  nameColumn,
  {
    name: "Role",
    type: "string",
    description: "The role that is given to the subjects.",
    cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
  },
  ageColumn,
  {
    name: "Users",
    type: "string",
    priority: 1,
    description: "Users among the subjects.",
    cell: (binding) => names(binding, "User"),
  },
  {
    name: "Groups",
    type: "string",
    priority: 1,
    description: "Groups among the subjects.",
    cell: (binding) => names(binding, "Group"),
  },
  {
    name: "ServiceAccounts",
    type: "string",
    priority: 1,
    description: "Service accounts among the subjects, with their namespaces.",
    cell: (binding) => names(binding, "ServiceAccount"),
  },
];

function validateRoleRef({ apiGroup, kind, name }: RoleRef, kinds: readonly string[]): FieldError[] {
  const at = path("roleRef");
  const errors: FieldError[] = [];
  if (apiGroup !== group) errors.push(notSupported(at.child("apiGroup"), apiGroup, [group]));
  if (!kinds.includes(kind)) errors.push(notSupportedInOrder(at.child("kind"), kind, kinds));
  if (!name) errors.push(required(at.child("name")));
  errors.push(...each(pathSegmentName(name), at.child("name"), name));
  return errors;
}

function validateSubject({ kind, apiGroup = "", name, namespace }: Subject, namespaced: boolean, at: FieldPath) {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(at.child("name")));
  if (kind === "ServiceAccount") {
    if (name) errors.push(...each(dns1123Subdomain(name), at.child("name"), name));
    if (apiGroup) errors.push(notSupported(at.child("apiGroup"), apiGroup, [""]));
    if (!namespaced && !namespace) errors.push(required(at.child("namespace")));
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) errors.push(notSupported(at.child("apiGroup"), apiGroup, [group]));
  } else {
    errors.push(notSupportedInOrder(at.child("kind"), kind, subjectKinds));
  }
  return errors;
}

/** Prints upstream's internal struct, whose fields have no JSON names. */
function internalRef({ apiGroup, kind, name }: RoleRef): unknown {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

function names({ subjects = [] }: Binding, kind: string): string {
  const matching = subjects.filter((subject) => subject.kind === kind);
  const texts = matching.map(({ namespace = "", name }) => (kind === "ServiceAccount" ? `${namespace}/${name}` : name));
  return texts.join(", ");
}
