// The roles of groups as lines of a text field: `platform-team = owner`.
import type { Role } from "../../../shared/contract/scope.ts";

/** Returns the role of each group. The API checks the roles, so a line without one has an empty role. */
export function groupRolesOf(text: string): Record<string, Role> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const at = line.lastIndexOf("=");
    const [group, role] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    return [group.trim(), role.trim()] as const;
  });
  // The API refuses a text that is no role, with the group's name.
  return Object.fromEntries(pairs) as Record<string, Role>;
}

export function textOfGroupRoles(groupRoles: Readonly<Record<string, Role>>): string {
  return Object.entries(groupRoles)
    .map(([group, role]) => `${group} = ${role}`)
    .join("\n");
}
