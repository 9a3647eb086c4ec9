// Routes of publishable keys.
import {
  createPublishableKey,
  publishableKey,
  publishableKeyList,
} from "../../../../shared/contract/hosted/publishable-key.ts";
import { json, nothing } from "../answers.ts";
import { listPublishableKeys, makePublishableKey, revokePublishableKey } from "../embed/publishable-keys.ts";
import { route } from "../route.ts";

export const publishableKeyRoutes = [
  route({
    method: "POST",
    path: "/v1/publishable-keys",
    id: "createPublishableKey",
    summary:
      "Makes a key for pages: each visitor gets a sandbox by it, within its limits. Asks for `sandboxes:create` beside, and for `templates:read` or `lessons:write` where it offers such.",
    access: { kind: "scope", scope: "keys:write" },
    body: createPublishableKey,
    answer: { status: 201, json: publishableKey },
    errors: ["too_many_publishable_keys", "beyond_plan", "not_found"],
    handle: async ({ controlApi, caller, body }) => json(await makePublishableKey(controlApi, caller, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/publishable-keys",
    id: "listPublishableKeys",
    summary: "The publishable keys, the newest first.",
    access: { kind: "scope", scope: "keys:read" },
    answer: { status: 200, json: publishableKeyList },
    handle: async ({ controlApi, tenantId }) => json(await listPublishableKeys(controlApi, tenantId)),
  }),
  route({
    method: "DELETE",
    path: "/v1/publishable-keys/{publishableKey}",
    id: "revokePublishableKey",
    summary: "Revokes a publishable key at once. The sandboxes that visitors have by it live to their end.",
    access: { kind: "scope", scope: "keys:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { publishableKey: key = "" } }) => {
      await revokePublishableKey(controlApi, tenantId, key);
      return nothing();
    },
  }),
];
