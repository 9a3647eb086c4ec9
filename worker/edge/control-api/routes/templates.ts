// Routes of templates.
import {
  createTemplate,
  template,
  templateList,
  templateQuery,
  templateWithParts,
} from "../../../../shared/contract/template.ts";
import { requireScope } from "../access/caller.ts";
import { json, nothing } from "../answers.ts";
import { route } from "../route.ts";
import { deleteTemplate, getTemplate, listTemplates, makeTemplate } from "../templates/templates.ts";

export const templateRoutes = [
  route({
    method: "POST",
    path: "/v1/templates",
    id: "createTemplate",
    summary:
      "Creates the next version of a template: from its parts, from the current state of a sandbox, or from a snapshot.",
    access: { kind: "scope", scope: "templates:write" },
    body: createTemplate,
    answer: { status: 201, json: template },
    errors: [
      ...(["limit_reached", "beyond_plan", "invalid_manifests", "limit_exceeded", "not_found", "expired"] as const),
      ...(["busy", "too_large", "damaged", "foreign_state", "newer"] as const),
    ],
    handle: async ({ controlApi, caller, tenantId, body, json: sentBody }) => {
      // A template reveals the entire content of the sandbox.
      if (body.sandbox !== undefined) requireScope(caller, "sandboxes:connect");
      if (body.snapshot !== undefined) requireScope(caller, "snapshots:read");
      return json(await makeTemplate(controlApi, tenantId, body, sentBody), 201);
    },
  }),
  route({
    method: "GET",
    path: "/v1/templates",
    id: "listTemplates",
    summary: "Lists the newest version of each template, built-in ones included, or all versions of one template.",
    access: { kind: "scope", scope: "templates:read" },
    query: templateQuery,
    answer: { status: 200, json: templateList },
    handle: async ({ controlApi, tenantId, query }) => json(await listTemplates(controlApi, tenantId, query.name)),
  }),
  route({
    method: "GET",
    path: "/v1/templates/{template}",
    id: "getTemplate",
    summary: "Returns a version of a template with its parts: `name@version`, or the newest by `name`.",
    access: { kind: "scope", scope: "templates:read" },
    answer: { status: 200, json: templateWithParts },
    handle: async ({ controlApi, tenantId, path: { template: named = "" } }) =>
      json(await getTemplate(controlApi, tenantId, named)),
  }),
  route({
    method: "DELETE",
    path: "/v1/templates/{template}",
    id: "deleteTemplate",
    summary:
      "Deletes a version of a template by `name@version`, or all by `name`. Its sandboxes continue, but cannot be reset to it.",
    access: { kind: "scope", scope: "templates:write" },
    answer: { status: 204 },
    errors: ["invalid_field"],
    handle: async ({ controlApi, tenantId, path: { template: named = "" } }) => {
      await deleteTemplate(controlApi, tenantId, named);
      return nothing();
    },
  }),
];
