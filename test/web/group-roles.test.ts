// Tests the lines in which the roles of groups are edited.
import { expect, test } from "vitest";
import { groupRolesOf, linesOfGroupRoles } from "../../web/console/sign-on/group-roles.ts";

test("a line has a group, whose name may have an equals sign, and its role", () => {
  const roles = groupRolesOf("  platform team = owner\n\ncn=admins,dc=example=viewer\nnobody\n");
  expect(roles).toEqual({ "platform team": "owner", "cn=admins,dc=example": "viewer", nobody: "" });
});

test("the lines of stored roles have the same roles again", () => {
  const roles = { "platform team": "owner", "cn=admins": "viewer" } as const;
  expect(groupRolesOf(linesOfGroupRoles(roles).join("\n"))).toEqual(roles);
});
