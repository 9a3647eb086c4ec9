// The roles of groups as lines of a text field: `platform-team = owner`.
import type { Role } from "../../../shared/contract/scope.ts";

/** Returns the role of each group. A line without a role has an empty one, which the API refuses with the group's name. */
export function groupRolesOf(text: string): Record<string, Role> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const at = line.lastIndexOf("=");
    const [group, role] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    return [group.trim(), role.trim()] as const;
  });
  // The API checks the roles.
  return Object.fromEntries(pairs) as Record<string, Role>;
}

/** Returns a line for each group. */
export function linesOfGroupRoles(groupRoles: Readonly<Record<string, Role>>): readonly string[] {
  return Object.entries(groupRoles).map(([group, role]) => `${group} = ${role}`);
}
