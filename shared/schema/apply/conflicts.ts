// The 409 of an apply that would take fields from other managers, in upstream's words.
import { limits } from "../../base/limits.ts";
import { ApiError } from "../../k8s/status.ts";
import { pathText } from "./field-set.ts";
import { type Conflict, identifier, type ManagerIdentity } from "./managers.ts";

export function conflictError(all: readonly Conflict[]): ApiError {
  const conflicts = all.slice(0, limits.toldErrors);
  const causes = conflicts.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${ownerText(owner)}`,
    field: pathText(path),
  }));
  return new ApiError(409, "Conflict", messageOf(conflicts, all.length), { causes });
}

function messageOf(conflicts: readonly Conflict[], count: number): string {
  const [only] = conflicts;
  if (only && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(only.owner)}: ${pathText(only.path)}`;
  }
  const byOwner = Map.groupBy(conflicts, ({ owner }) => identifier(owner));
  const lines = [...byOwner.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, list]) => [
      ...list.slice(0, 1).map(({ owner }) => `conflicts with ${ownerText(owner)}:`),
      ...list.map(({ path }) => `- ${pathText(path)}`),
    ]);
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}

function ownerText({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const name = JSON.stringify(manager) + (subresource ? ` with subresource ${JSON.stringify(subresource)}` : "");
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
