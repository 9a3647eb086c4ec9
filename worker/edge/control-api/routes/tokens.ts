// Routes of a sandbox's additional tokens.
import { createToken, tokenList, userToken, viewToken } from "../../../../shared/contract/token.ts";
import * as z from "zod";
import { requireScope } from "../access/caller.ts";
import { json, kubeconfigAnswer, nothing, wantsYaml } from "../answers.ts";
import { route } from "../route.ts";
import { listTokens, makeUserToken, makeViewToken, revokeToken } from "../sandbox-tokens.ts";
import { getSandbox } from "../sandboxes.ts";

export const tokenRoutes = [
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/tokens",
    id: "createToken",
    summary:
      "Creates a read-only token. With `sandboxes:connect`, creates one for a user, or one that other pages may frame. As YAML, a user's is a kubeconfig.",
    access: { kind: "scope", scope: "sandboxes:read" },
    body: createToken,
    answer: { status: 201, json: z.union([userToken, viewToken]), texts: ["application/yaml"] },
    errors: ["too_many_tokens"],
    handle: async (call) => {
      const { controlApi, caller, tenantId, body, path } = call;
      const { id = "" } = path;
      const { user, frameOrigins } = body;
      if (user !== undefined || frameOrigins.length > 0) requireScope(caller, "sandboxes:connect");
      if (user === undefined) return json(await makeViewToken(controlApi, tenantId, id, body), 201);
      const token = await makeUserToken(controlApi, tenantId, id, { ...body, user });
      if (!wantsYaml(call)) return json(token, 201);
      return kubeconfigAnswer(call, { ...(await getSandbox(controlApi, tenantId, id)), token: token.token }, 201);
    },
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/tokens",
    id: "listTokens",
    list: { items: "tokens", id: ["id"], sort: ["user", "expiresAt"], filter: ["user"] },
    summary: "Lists the tokens that have not expired, except the administrator's. Their values are not shown again.",
    access: { kind: "scope", scope: "sandboxes:read" },
    answer: { status: 200, json: tokenList },
    handle: async ({ controlApi, tenantId, path: { id = "" } }) => json(await listTokens(controlApi, tenantId, id)),
  }),
  route({
    method: "DELETE",
    path: "/v1/sandboxes/{id}/tokens/{token}",
    id: "revokeToken",
    summary: "Revokes a token. It is refused at once, and its connections end.",
    access: { kind: "scope", scope: "sandboxes:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { id = "", token = "" } }) => {
      await revokeToken(controlApi, tenantId, id, token);
      return nothing();
    },
  }),
];
