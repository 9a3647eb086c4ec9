// Routes of single sign-on: an organisation's provider, and the sign-in by it.
import { putSso, shownSso, ssoCallback, ssoQuery } from "../../../../shared/contract/hosted/identity.ts";
import { getSso, removeSso, setSso } from "../access/sso/settings.ts";
import { clearSsoState, fromProvider, toProvider } from "../access/sso/sign-in.ts";
import { json, nothing } from "../answers.ts";
import { ControlError } from "../control-error.ts";
import { route } from "../route.ts";

export const ssoRoutes = [
  route({
    method: "GET",
    path: "/v1/sign-in/sso",
    id: "signInBySso",
    access: { kind: "public" },
    summary: "Redirects the browser to the identity provider of an organisation, which returns it signed in.",
    query: ssoQuery,
    answer: { status: 302 },
    errors: ["not_found", "sso_unavailable"],
    handle: async ({ controlApi, query, headers }) => {
      try {
        return await toProvider(controlApi, query.tenant);
      } catch (error) {
        // A person sees the reason on the sign-in page, a program as an error.
        if (!(error instanceof ControlError) || headers.get("sec-fetch-mode") !== "navigate") throw error;
        const code = error.code === "not_found" ? "no_sso" : error.code;
        return new Response(null, { status: 302, headers: { location: `${controlApi.console}/#/sign-in/${code}` } });
      }
    },
  }),
  route({
    method: "GET",
    path: "/v1/sign-in/sso/callback",
    id: "returnFromSso",
    access: { kind: "public" },
    summary:
      "Signs in a browser that returns from an organisation's identity provider, and redirects it to the console.",
    query: ssoCallback,
    answer: { status: 302 },
    handle: async ({ controlApi, query, headers }) => {
      const { console } = controlApi;
      const answer = new Headers({ "set-cookie": clearSsoState(controlApi) });
      try {
        const { cookie } = await fromProvider(controlApi, query, headers);
        answer.append("set-cookie", cookie);
        answer.set("location", `${console}/#/`);
      } catch (error) {
        if (!(error instanceof ControlError)) controlApi.report(error, "signing in by an organisation's provider");
        answer.set("location", `${console}/#/sign-in/${error instanceof ControlError ? error.code : "internal"}`);
      }
      return new Response(null, { status: 302, headers: answer });
    },
  }),
  route({
    method: "GET",
    path: "/v1/tenant/sso",
    id: "getSso",
    version: { apart: [] },
    summary: "Returns the organisation's identity provider, and the addresses to register there.",
    access: { kind: "scope", scope: "tenant:read" },
    answer: { status: 200, json: shownSso },
    errors: ["not_found"],
    handle: async ({ controlApi, tenantId }) => json(await getSso(controlApi, tenantId)),
  }),
  route({
    method: "PUT",
    path: "/v1/tenant/sso",
    id: "setSso",
    summary: "Sets the organisation's identity provider (OpenID Connect), after reading its metadata.",
    access: { kind: "scope", scope: "tenant:write" },
    body: putSso,
    answer: { status: 200, json: shownSso },
    handle: async ({ controlApi, caller, body }) => json(await setSso(controlApi, caller, body)),
  }),
  route({
    method: "DELETE",
    path: "/v1/tenant/sso",
    id: "deleteSso",
    summary: "Ends single sign-on. Members whom the provider manages can no longer sign in; their sessions stay.",
    access: { kind: "scope", scope: "tenant:write" },
    answer: { status: 204 },
    errors: ["not_found"],
    handle: async ({ controlApi, tenantId }) => {
      await removeSso(controlApi, tenantId);
      return nothing();
    },
  }),
];
