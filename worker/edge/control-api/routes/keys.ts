// Routes of API keys.
import { createKey, keyList, keyWithSecret } from "../../../../shared/contract/key.ts";
import { listKeys, makeKey, revokeKey } from "../access/keys.ts";
import { json, nothing } from "../answers.ts";
import { route } from "../route.ts";

export const keyRoutes = [
  route({
    method: "POST",
    path: "/v1/keys",
    id: "createKey",
    summary:
      "Creates an API key with the given scopes, at most those of the caller. The key is shown only in this response.",
    access: { kind: "scope", scope: "keys:write" },
    body: createKey,
    answer: { status: 201, json: keyWithSecret },
    errors: ["too_many_keys"],
    handle: async ({ controlApi, caller, body }) => json(await makeKey(controlApi, caller, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/keys",
    id: "listKeys",
    summary: "Lists the API keys that have not expired, with the hour of their last use.",
    access: { kind: "scope", scope: "keys:read" },
    answer: { status: 200, json: keyList },
    handle: async ({ controlApi, tenantId }) => json(await listKeys(controlApi, tenantId)),
  }),
  route({
    method: "DELETE",
    path: "/v1/keys/{key}",
    id: "revokeKey",
    summary: "Revokes an API key. Where it was used shortly before, it may be accepted for another half minute.",
    access: { kind: "scope", scope: "keys:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, caller, path: { key = "" } }) => {
      await revokeKey(controlApi, caller, key);
      return nothing();
    },
  }),
];
