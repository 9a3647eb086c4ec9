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
      "Makes an API key that may do what its scopes say, and no more than whoever makes it. It is shown this once.",
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
    list: { items: "keys", id: ["id"], sort: ["createdAt", "name"], filter: ["name"] },
    summary: "The API keys that have not expired, with when each was last used, to the hour.",
    access: { kind: "scope", scope: "keys:read" },
    answer: { status: 200, json: keyList },
    handle: async ({ controlApi, tenantId }) => json(await listKeys(controlApi, tenantId)),
  }),
  route({
    method: "DELETE",
    path: "/v1/keys/{key}",
    id: "revokeKey",
    summary: "Revokes an API key. It may be taken for half a minute more where it was used just before.",
    access: { kind: "scope", scope: "keys:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, caller, path: { key = "" } }) => {
      await revokeKey(controlApi, caller, key);
      return nothing();
    },
  }),
];
