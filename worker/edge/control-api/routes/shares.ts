// Routes of shared states: for their owners, and for everybody with a link.
import { type ErrorCode, serviceFailures } from "../../../../shared/contract/error.ts";
import {
  createShare,
  ofShare,
  openedShare,
  share,
  shareList,
  shareLook,
} from "../../../../shared/contract/hosted/share.ts";
import { requireScope } from "../access/caller.ts";
import { json, nothing } from "../answers.ts";
import { deleteShare, listShares, lookAtShare, makeShare, openShare } from "../learn/shares.ts";
import { route } from "../route.ts";

const ofLink: readonly ErrorCode[] = ["too_many_failures", "not_found", "suspended", ...serviceFailures];

export const shareRoutes = [
  route({
    method: "POST",
    path: "/v1/shares/look",
    id: "lookAtShare",
    access: { kind: "public" },
    summary: "Describes the shared state of a link.",
    body: ofShare,
    answer: { status: 200, json: shareLook },
    errors: ofLink,
    handle: async ({ controlApi, body }) => json(await lookAtShare(controlApi, body)),
  }),
  route({
    method: "POST",
    path: "/v1/shares/open",
    id: "openShare",
    access: { kind: "public" },
    summary: "Creates a fork of a shared state for a person with the link, and returns its credentials.",
    body: ofShare,
    answer: { status: 201, json: openedShare },
    errors: [
      ...ofLink,
      ...(["expired", "share_used_up", "limit_reached", "beyond_plan", "busy", "too_large"] as const),
      ...(["damaged", "foreign_state", "newer", "too_many_tokens"] as const),
    ],
    handle: async ({ controlApi, headers, body }) => json(await openShare(controlApi, headers, body), 201),
  }),
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/shares",
    id: "createShare",
    summary:
      "Shares the state of a sandbox as it is now: everybody with the link gets a fork, up to a number and a time.",
    access: { kind: "scope", scope: "snapshots:write" },
    body: createShare,
    answer: { status: 201, json: share },
    errors: ["too_many_shares", "too_many_snapshots", "limit_reached", "too_large", "busy", "revision_gone"],
    handle: async ({ controlApi, caller, tenantId, body, path: { id = "" } }) => {
      // A share reveals the entire content of the sandbox, and creates others.
      requireScope(caller, "sandboxes:connect");
      requireScope(caller, "sandboxes:create");
      return json(await makeShare(controlApi, tenantId, id, body), 201);
    },
  }),
  route({
    method: "GET",
    path: "/v1/shares",
    id: "listShares",
    list: { items: "shares", id: ["id"], sort: ["createdAt", "title"], filter: ["title"] },
    summary: "Lists the shared states with their links, the newest first.",
    access: { kind: "scope", scope: "snapshots:write" },
    answer: { status: 200, json: shareList },
    handle: async ({ controlApi, tenantId }) => json(await listShares(controlApi, tenantId)),
  }),
  route({
    method: "DELETE",
    path: "/v1/shares/{share}",
    id: "deleteShare",
    summary: "Revokes the link of a shared state at once, and deletes its snapshot. Forks live until they expire.",
    access: { kind: "scope", scope: "snapshots:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { share: id = "" } }) => {
      await deleteShare(controlApi, tenantId, id);
      return nothing();
    },
  }),
];
