// The columns of `kubectl get` of a custom resource: its name, and what its definition adds.
import type { CustomResourceColumnDefinition } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { parseJsonPath } from "../../../shared/k8s/json-path.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { age, parseTime } from "../../../shared/k8s/time.ts";
import { nameColumn } from "../columns.ts";
import type { Column } from "../kind.ts";

/** What upstream prints where a definition has no columns. */
const ageDefinition: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  jsonPath: ".metadata.creationTimestamp",
};

type Cell = ReturnType<Column<KubeObject>["cell"]>;

export function customColumns(definitions: readonly CustomResourceColumnDefinition[] = []): Column<KubeObject>[] {
  const all = definitions.length === 0 ? [ageDefinition] : definitions;
  const columns = all.map(columnOf);
  // Upstream falls back to names where it cannot read one of the paths.
  return [nameColumn, ...(columns.includes(undefined) ? [] : columns.filter((one) => one !== undefined))];
}

function columnOf(definition: CustomResourceColumnDefinition): Column<KubeObject> | undefined {
  const { name, type, format = "", description = "", priority = 0, jsonPath } = definition;
  const found = parseJsonPath(jsonPath);
  if (!found) return undefined;
  return {
    name,
    // Validation has seen to it that it is one of these.
    type: type as Column<KubeObject>["type"],
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, nowMs) => cellOf(type, found.find(object), nowMs),
  };
}

/** Of several values the first is shown. */
function cellOf(type: string, [value]: readonly unknown[], nowMs: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(parseTime(value)) ? "<invalid>" : age(value, nowMs);
    default:
      return null;
  }
}
