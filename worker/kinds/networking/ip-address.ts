// The kind IPAddress of networking.k8s.io: an allocated address of the service ranges, and its owner.
import type { IPAddress, ParentReference } from "../../../shared/k8s/api/networking-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, invalid, path, required, rootPath } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, pathSegmentName } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { validateSegment } from "./backend.ts";
import { defineKind } from "../kind.ts";
import { validateIp } from "../common/ip-validation.ts";
import { each } from "../common/checks.ts";

export const ipAddresses = defineKind<IPAddress>("networking.k8s.io", "v1", "ipaddresses", {
  validateName: (name) => validateIp(name, rootPath).map(({ message }) => withoutHead(message, name)),
  validate: ({ spec }) => validateParent(spec.parentRef),
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
    ...(semanticEqual(next.spec.parentRef, previous.spec.parentRef)
      ? []
      : [invalid(path("spec", "parentRef"), internalReference(next.spec.parentRef), "field is immutable")]),
  ],
  columns: [
    nameColumn,
    {
      name: "ParentRef",
      type: "string",
      description: "The object that the address belongs to.",
      cell: ({ spec: { parentRef: to } }) => (to ? parentText(to) : "<none>"),
    },
    { ...ageColumn, hasNoDefinition: true },
  ],
});

/** Removes the prefix of a message, which is added again when the error is printed. */
function withoutHead(message: string, name: string): string {
  return message.slice(`Invalid value: ${JSON.stringify(name)}: `.length);
}

function validateParent(to: ParentReference | undefined): FieldError[] {
  const at = path("spec", "parentRef");
  if (!to) return [required(at)];
  const { group, namespace } = to;
  return [
    ...(group ? each(dns1123Subdomain(group), at.child("group"), group) : []),
    ...validateSegment(to.resource, at.child("resource")),
    ...validateSegment(to.name, at.child("name")),
    ...(namespace ? each(pathSegmentName(namespace), at.child("namespace"), namespace) : []),
  ];
}

function parentText({ group, resource = "", namespace, name = "" }: ParentReference): string {
  const kind = (group ? `${resource}.${group}` : resource).toLowerCase();
  return [kind, ...(namespace ? [namespace] : []), name].join("/");
}

/** Prints upstream's internal struct, whose fields have no JSON names. */
function internalReference(to: ParentReference | undefined): unknown {
  if (!to) return null;
  const { group = "", resource = "", namespace = "", name = "" } = to;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}
