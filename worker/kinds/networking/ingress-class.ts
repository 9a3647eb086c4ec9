// The kind IngressClass of networking.k8s.io.
import type { IngressClass, IngressClassParametersReference } from "../../../shared/k8s/api/networking-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  notSupported,
  path,
  required,
  tooLong,
} from "../../../shared/k8s/field.ts";
import { domainPathErrors, dns1123Label } from "../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { validateReference } from "./backend.ts";
import { type Column, defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";

export const defaultClassAnnotation = "ingressclass.kubernetes.io/is-default-class";

const maxControllerBytes = 250;

/** Since 1.36, the name of a default class is marked. */
const markedNameColumn: Column<IngressClass> = {
  ...nameColumn,
  cell: ({ metadata }) => {
    const isDefault = metadata.annotations?.[defaultClassAnnotation] === "true";
    return `${metadata.name ?? ""}${isDefault ? " (default)" : ""}`;
  },
};

const otherColumns: readonly Column<IngressClass>[] = [
  {
    name: "Controller",
    type: "string",
    description: "The controller that serves Ingresses of this class.",
    cell: ({ spec }) => spec.controller ?? "",
  },
  {
    name: "Parameters",
    type: "string",
    description: "The object that configures the controller.",
    cell: ({ spec: { parameters: to } }) =>
      to ? `${to.kind}${to.apiGroup === undefined ? "" : `.${to.apiGroup}`}/${to.name}` : "<none>",
  },
  ageColumn,
];

export const ingressClasses = defineKind<IngressClass>("networking.k8s.io", "v1", "ingressclasses", {
  defaults({ spec }) {
    if (spec.parameters) spec.parameters.scope ??= "Cluster";
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  validate: ({ spec }) => [
    ...validateController(spec.controller ?? "", path("spec", "controller")),
    ...validateParameters(spec.parameters, path("spec", "parameters")),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...validateImmutable(next.spec.controller ?? "", previous.spec.controller ?? "", path("spec", "controller")),
    ...check.objectMeta(),
    ...check.validate(),
  ],
  columns: [markedNameColumn, ...otherColumns],
  inRelease: () => ({ columns: [nameColumn, ...otherColumns] }),
});

function validateController(controller: string, at: FieldPath): FieldError[] {
  const errors = utf8Length(controller) > maxControllerBytes ? [tooLong(at, maxControllerBytes)] : [];
  return [...errors, ...domainPathErrors(controller, at)];
}

function validateParameters(to: IngressClassParametersReference | undefined, at: FieldPath): FieldError[] {
  if (!to) return [];
  const { scope, namespace } = to;
  const errors = validateReference(to, at);
  const where = at.child("namespace");
  if (scope === undefined) return [...errors, required(at.child("scope"))];
  if (scope !== "Cluster" && scope !== "Namespace") {
    errors.push(notSupported(at.child("scope"), scope, ["Cluster", "Namespace"]));
  } else if (scope === "Namespace") {
    if (namespace === undefined) errors.push(required(where, "`parameters.scope` is set to 'Namespace'"));
    else errors.push(...each(dns1123Label(namespace), where, namespace));
  } else if (namespace !== undefined) {
    errors.push(forbidden(where, "`parameters.scope` is set to 'Cluster'"));
  }
  return errors;
}
