// Routes of the caller's own account: identity, organizations, passkeys and sessions.
import {
  addPasskey,
  me,
  passkey,
  passkeyList,
  passkeyOptions as passkeyOptionsShape,
  patchMe,
  sessionList,
  takeInvitation as takeInvitationBody,
} from "../../../../shared/contract/sign-in.ts";
import { authenticate } from "../access/authenticate.ts";
import type { Caller } from "../access/caller.ts";
import { leave } from "../access/members.ts";
import {
  changeMe,
  deletePerson,
  endSession,
  storePasskey,
  listPasskeys,
  listSessions,
  passkeyOptions,
  removePasskey,
  acceptInvitation,
  describeCaller,
} from "../access/people.ts";
import { clearSession } from "../access/sessions.ts";
import { json, nothing } from "../answers.ts";
import { type RouteRequest, route } from "../route.ts";

/** Returns the person of a route that only people can call. */
export function personOf({ person }: Caller): NonNullable<Caller["person"]> {
  if (!person) throw new Error("a route for people was asked by a key");
  return person;
}

export const personRoutes = [
  route({
    method: "GET",
    path: "/v1/me",
    id: "getMe",
    version: { apart: [] },
    summary: "Describes the caller: organisation, scopes, and the key or the person.",
    access: { kind: "caller" },
    answer: { status: 200, json: me },
    handle: async ({ controlApi, caller }) => json(await describeCaller(controlApi, caller)),
  }),
  route({
    method: "PATCH",
    path: "/v1/me",
    id: "changeMe",
    summary: "Changes the person's name, or the organisation of the session.",
    access: { kind: "person" },
    body: patchMe,
    answer: { status: 200, json: me },
    errors: ["not_found"],
    handle: async (call) => {
      const { controlApi, caller, body } = call;
      await changeMe(controlApi, caller, personOf(caller), body);
      return describeUpdatedCaller(call);
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/me",
    id: "deleteMe",
    summary:
      "Deletes the person: name, passkeys, sessions, memberships and keys. The last owner of an organisation cannot be deleted.",
    access: { kind: "person" },
    answer: { status: 204 },
    errors: ["last_owner", "not_found"],
    handle: async ({ controlApi, caller }) => {
      await deletePerson(controlApi, personOf(caller).id);
      return new Response(null, { status: 204, headers: { "set-cookie": clearSession(controlApi) } });
    },
  }),
  route({
    method: "POST",
    path: "/v1/me/memberships",
    id: "takeInvitation",
    summary: "Accepts an invitation to another organisation, which becomes the session's.",
    access: { kind: "person" },
    body: takeInvitationBody,
    answer: { status: 200, json: me },
    errors: [
      "not_found",
      "invitation_used",
      "already_member",
      "too_many_members",
      "too_many_tenants",
      "managed_person",
    ],
    handle: async (call) => {
      const { controlApi, caller, body } = call;
      await acceptInvitation(controlApi, caller, personOf(caller).id, body.invitation);
      return describeUpdatedCaller(call);
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/me/memberships/{tenant}",
    id: "leaveTenant",
    summary: "Leaves an organisation. Its last owner cannot leave.",
    access: { kind: "person" },
    answer: { status: 204 },
    errors: ["last_owner"],
    handle: async ({ controlApi, caller, path: { tenant = "" } }) => {
      await leave(controlApi, personOf(caller).id, tenant);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/me/passkeys",
    id: "listPasskeys",
    list: { items: "passkeys", id: ["id"], sort: ["createdAt", "name"], filter: ["name"] },
    summary: "Lists the person's passkeys.",
    access: { kind: "person" },
    answer: { status: 200, json: passkeyList },
    handle: async ({ controlApi, caller }) => json(await listPasskeys(controlApi, personOf(caller).id)),
  }),
  route({
    method: "POST",
    path: "/v1/me/passkeys/options",
    id: "passkeyOptions",
    summary: "Returns WebAuthn options for creating another passkey.",
    access: { kind: "person" },
    answer: { status: 200, json: passkeyOptionsShape },
    errors: ["too_many_passkeys", "managed_person"],
    handle: async ({ controlApi, caller }) => json(await passkeyOptions(controlApi, personOf(caller))),
  }),
  route({
    method: "POST",
    path: "/v1/me/passkeys",
    id: "addPasskey",
    summary: "Adds a passkey that the browser created.",
    access: { kind: "person" },
    body: addPasskey,
    answer: { status: 201, json: passkey },
    errors: ["invalid_passkey", "too_many_passkeys"],
    handle: async ({ controlApi, caller, body }) =>
      json(await storePasskey(controlApi, personOf(caller).id, body), 201),
  }),
  route({
    method: "DELETE",
    path: "/v1/me/passkeys/{passkey}",
    id: "removePasskey",
    summary: "Removes a passkey. The only way to sign in cannot be removed.",
    access: { kind: "person" },
    answer: { status: 204 },
    errors: ["last_passkey"],
    handle: async ({ controlApi, caller, path: { passkey: id = "" } }) => {
      await removePasskey(controlApi, personOf(caller), id);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/me/sessions",
    id: "listSessions",
    list: { items: "sessions", id: ["id"], sort: ["createdAt"], filter: [] },
    summary: "Lists the person's sessions.",
    access: { kind: "person" },
    answer: { status: 200, json: sessionList },
    handle: async ({ controlApi, caller }) => json(await listSessions(controlApi, caller, personOf(caller).id)),
  }),
  route({
    method: "DELETE",
    path: "/v1/me/sessions/{session}",
    id: "endSession",
    summary: "Ends a session. `current` is the caller's own, which signs out.",
    access: { kind: "person" },
    answer: { status: 204 },
    handle: async ({ controlApi, caller, path: { session = "" } }) => {
      const isOwn = await endSession(controlApi, caller, personOf(caller).id, session);
      return isOwn
        ? new Response(null, { status: 204, headers: { "set-cookie": clearSession(controlApi) } })
        : nothing();
    },
  }),
];

/** Describes the caller after a change. */
async function describeUpdatedCaller({
  controlApi,
  headers,
}: Pick<RouteRequest, "controlApi" | "headers">): Promise<Response> {
  return json(await describeCaller(controlApi, await authenticate(controlApi, { method: "GET", headers })));
}
