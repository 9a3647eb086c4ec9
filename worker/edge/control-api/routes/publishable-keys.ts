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
      "Creates a key that pages embed to give each visitor a sandbox, within the key's limits. Also requires `sandboxes:create`, `templates:read` for templates, and `lessons:write` for lessons.",
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
    summary: "Lists the publishable keys, the newest first.",
    access: { kind: "scope", scope: "keys:read" },
    answer: { status: 200, json: publishableKeyList },
    handle: async ({ controlApi, tenantId }) => json(await listPublishableKeys(controlApi, tenantId)),
  }),
  route({
    method: "DELETE",
    path: "/v1/publishable-keys/{publishableKey}",
    id: "revokePublishableKey",
    summary: "Revokes a publishable key immediately. Its visitors' sandboxes remain until they expire.",
    access: { kind: "scope", scope: "keys:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { publishableKey: key = "" } }) => {
      await revokePublishableKey(controlApi, tenantId, key);
      return nothing();
    },
  }),
];
