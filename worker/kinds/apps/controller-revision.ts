// The kind ControllerRevision of apps: an earlier state of a StatefulSet or DaemonSet.
import type { ControllerRevision } from "../../../shared/k8s/api/apps-v1.ts";
import { path, required } from "../../../shared/k8s/field.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { validateImmutable, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";

export const controllerRevisions = defineKind<ControllerRevision>("apps", "v1", "controllerrevisions", {
  validate: ({ revision, data }) => [
    ...validateNonNegative(revision, path("revision")),
    ...(data === undefined || data === null ? [required(path("data"), "data is mandatory")] : []),
    ...(isNoObject(data) ? [required(path("data"), "data must be a valid JSON object")] : []),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.objectMeta(),
    ...validateNonNegative(next.revision, path("revision")),
    ...validateImmutable(next.data, previous.data, path("data")),
  ],
  columns: [
    nameColumn,
    {
      name: "Controller",
      type: "string",
      description: "What the revision is of.",
      cell: (revision) => controllerName(revision),
    },
    {
      name: "Revision",
      type: "string",
      description: "Its number: later ones are higher.",
      cell: ({ revision }) => revision,
    },
    ageColumn,
  ],
});

function isNoObject(data: unknown): boolean {
  return data !== undefined && data !== null && (typeof data !== "object" || Array.isArray(data));
}

/** Returns `statefulset.apps/web`. */
function controllerName(revision: ControllerRevision): string {
  const owner = getControllerOf(revision);
  if (!owner) return "<none>";
  const segments = owner.apiVersion.split("/");
  const group = segments.length === 2 ? `.${segments[0]}` : "";
  return `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}`;
}
