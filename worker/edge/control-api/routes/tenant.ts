// Routes of an organization: itself, its members, invitations and audit log.
import { auditList, auditQuery } from "../../../../shared/contract/control-audit.ts";
import { createTenant } from "../../../../shared/contract/sign-in.ts";
import {
  createInvitation,
  invitationList,
  invitationWithLink,
  member,
  memberList,
  patchMember,
  patchTenant,
  tenant,
} from "../../../../shared/contract/tenant.ts";
import { listAudit } from "../access/audit.ts";
import {
  changeMember,
  invite,
  listInvitations,
  getMember,
  listMembers,
  removeMember,
  withdrawInvitation,
} from "../access/members.ts";
import { changeTenant, deleteTenant, getTenant, makeTenant } from "../access/tenant.ts";
import { json, nothing } from "../answers.ts";
import { route } from "../route.ts";
import { archiveType, exportTenant } from "../tenancy/export-tenant.ts";
import { personOf } from "./person.ts";

export const tenantRoutes = [
  route({
    method: "POST",
    path: "/v1/tenants",
    id: "createTenant",
    summary: "Creates an organisation that the caller owns, if the service allows sign-up without an invitation.",
    access: { kind: "person" },
    body: createTenant,
    answer: { status: 201, json: tenant },
    errors: ["too_many_tenants", "limit_reached", "not_invited", "managed_person"],
    handle: async ({ controlApi, caller, body }) =>
      json(await makeTenant(controlApi, personOf(caller), body.name), 201),
  }),
  route({
    method: "GET",
    path: "/v1/tenant",
    id: "getTenant",
    version: { apart: [] },
    summary: "Returns the caller's organisation.",
    access: { kind: "scope", scope: "tenant:read" },
    answer: { status: 200, json: tenant },
    errors: ["not_found"],
    handle: async ({ controlApi, tenantId }) => json(await getTenant(controlApi, tenantId)),
  }),
  route({
    method: "PATCH",
    path: "/v1/tenant",
    id: "changeTenant",
    summary: "Changes the organisation's name, or the origins whose pages may call the API and its sandboxes.",
    access: { kind: "scope", scope: "tenant:write" },
    body: patchTenant,
    answer: { status: 200, json: tenant },
    errors: ["not_found"],
    handle: async ({ controlApi, tenantId, body }) => json(await changeTenant(controlApi, tenantId, body)),
  }),
  route({
    method: "DELETE",
    path: "/v1/tenant",
    id: "deleteTenant",
    summary: "Deletes the organisation with its keys, sandboxes and snapshots. All access ends at once.",
    access: { kind: "scope", scope: "tenant:delete" },
    answer: { status: 204 },
    errors: ["not_found"],
    handle: async ({ controlApi, tenantId }) => {
      await deleteTenant(controlApi, tenantId);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/tenant/export",
    id: "exportTenant",
    summary:
      "Returns an archive (tar) with everything that is stored of the organisation: rows, snapshots, templates, and the states of its sandboxes.",
    access: { kind: "scope", scope: "tenant:export" },
    answer: { status: 200, file: archiveType },
    errors: ["not_found"],
    handle: async ({ controlApi, tenantId }) => {
      const { name } = await getTenant(controlApi, tenantId);
      return new Response(exportTenant(controlApi, { id: tenantId, name }), {
        headers: {
          "content-type": archiveType,
          "content-disposition": `attachment; filename="${tenantId}.tar"`,
        },
      });
    },
  }),
  route({
    method: "GET",
    path: "/v1/members",
    id: "listMembers",
    list: { items: "members", id: ["id"], sort: ["joinedAt", "name"], filter: ["name", "role"] },
    summary: "Lists the members of the organisation with their roles.",
    access: { kind: "scope", scope: "members:read" },
    answer: { status: 200, json: memberList },
    handle: async ({ controlApi, tenantId }) => json(await listMembers(controlApi, tenantId)),
  }),
  route({
    method: "GET",
    path: "/v1/members/{member}",
    id: "getMember",
    version: { apart: [] },
    summary: "Returns a member with the role.",
    access: { kind: "scope", scope: "members:read" },
    answer: { status: 200, json: member },
    handle: async ({ controlApi, tenantId, path: { member: id = "" } }) =>
      json(await getMember(controlApi, tenantId, id)),
  }),
  route({
    method: "PATCH",
    path: "/v1/members/{member}",
    id: "changeMember",
    summary: "Changes a member's role. The last owner remains an owner.",
    access: { kind: "scope", scope: "members:write" },
    body: patchMember,
    answer: { status: 200, json: member },
    errors: ["last_owner"],
    handle: async ({ controlApi, caller, body, path: { member: id = "" } }) =>
      json(await changeMember(controlApi, caller, id, body)),
  }),
  route({
    method: "DELETE",
    path: "/v1/members/{member}",
    id: "removeMember",
    summary: "Removes a member, and the keys that the member created.",
    access: { kind: "scope", scope: "members:write" },
    answer: { status: 204 },
    errors: ["last_owner"],
    handle: async ({ controlApi, caller, path: { member: id = "" } }) => {
      await removeMember(controlApi, caller, id);
      return nothing();
    },
  }),
  route({
    method: "POST",
    path: "/v1/invitations",
    id: "createInvitation",
    summary: "Creates a link by which one person joins the organisation. The link is shown only in this response.",
    access: { kind: "scope", scope: "members:write" },
    body: createInvitation,
    answer: { status: 201, json: invitationWithLink },
    errors: ["too_many_invitations"],
    handle: async ({ controlApi, caller, body }) => json(await invite(controlApi, caller, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/invitations",
    id: "listInvitations",
    list: { items: "invitations", id: ["id"], sort: ["createdAt"], filter: ["role"] },
    summary: "Lists the open invitations.",
    access: { kind: "scope", scope: "members:read" },
    answer: { status: 200, json: invitationList },
    handle: async ({ controlApi, tenantId }) => json(await listInvitations(controlApi, tenantId)),
  }),
  route({
    method: "DELETE",
    path: "/v1/invitations/{invitation}",
    id: "withdrawInvitation",
    summary: "Withdraws an invitation.",
    access: { kind: "scope", scope: "members:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { invitation = "" } }) => {
      await withdrawInvitation(controlApi, tenantId, invitation);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/audit",
    id: "listAudit",
    summary: "Lists the audit entries of the last 90 days: the newest first, a page at a time.",
    access: { kind: "scope", scope: "audit:read" },
    query: auditQuery,
    answer: { status: 200, json: auditList },
    handle: async ({ controlApi, tenantId, query }) => json(await listAudit(controlApi, tenantId, query)),
  }),
];
