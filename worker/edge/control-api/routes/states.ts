// Routes of a sandbox's states: restore, fork, undo, compare and export.
import { sandboxWithToken } from "../../../../shared/contract/sandbox.ts";
import {
  changeList,
  changesQuery,
  diffQuery,
  exportQuery,
  forkSandbox,
  restored,
  restoreSandbox,
  stateDiff,
  stateMediaType,
  undone,
  undoSandbox,
} from "../../../../shared/contract/snapshot.ts";
import { fieldDifferences, textDifferences } from "../../../../shared/state/differences.ts";
import { requireScope } from "../access/caller.ts";
import { json, encodeCreated, text } from "../answers.ts";
import { type RouteCall, route } from "../route.ts";
import { resumeCreation } from "../sandboxes.ts";
import { looksLikeSnapshotId } from "../snapshots.ts";
import { changes, compared, exportState, exportYaml, fork, restoreFrom, undo } from "../sandbox-states.ts";

export const stateRoutes = [
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/restore",
    id: "restoreSandbox",
    summary: "Restores a sandbox in place to a snapshot, or to a revision in its history.",
    access: { kind: "scope", scope: "sandboxes:write" },
    body: restoreSandbox,
    answer: { status: 200, json: restored },
    errors: [
      ...(["revision_gone", "revision_unknown", "limit_exceeded", "beyond_plan", "busy"] as const),
      ...(["too_large", "foreign_state", "damaged"] as const),
    ],
    handle: async ({ controlApi, caller, tenantId, body, path: { id = "" } }) => {
      if (body.snapshot !== undefined) requireScope(caller, "snapshots:read");
      return json(await restoreFrom(controlApi, tenantId, id, body));
    },
  }),
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/fork",
    id: "forkSandbox",
    summary: "Creates another sandbox from a sandbox's state, with its own tokens and certificates.",
    access: { kind: "scope", scope: "sandboxes:create" },
    body: forkSandbox,
    resumes: true,
    answer: { status: 201, json: sandboxWithToken, texts: ["application/yaml"] },
    errors: [
      "limit_reached",
      "beyond_plan",
      "revision_gone",
      "revision_unknown",
      "limit_exceeded",
      "busy",
      "too_large",
      "foreign_state",
      "damaged",
    ],
    handle: async (call) => {
      const { controlApi, caller, tenantId, body, path } = call;
      // A snapshot reveals the entire content of the sandbox.
      requireScope(caller, body.snapshot === undefined ? "sandboxes:connect" : "snapshots:read");
      return encodeCreated(
        call,
        (await resumeCreation(call)) ?? (await fork(controlApi, tenantId, path["id"] ?? "", body)),
      );
    },
  }),
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/undo",
    id: "undo",
    summary: "Reverts the last request of a user, and everything that followed from it.",
    access: { kind: "scope", scope: "sandboxes:write" },
    body: undoSandbox,
    answer: { status: 200, json: undone },
    errors: ["nothing_to_undo", "revision_gone", "revision_unknown", "limit_exceeded", "busy"],
    handle: async ({ controlApi, tenantId, body, path: { id = "" } }) =>
      json(await undo(controlApi, tenantId, id, body)),
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/diff",
    id: "diffStates",
    summary: "Compares two states by object and field. With `Accept: text/plain`, returns readable text.",
    access: { kind: "scope", scope: "sandboxes:connect" },
    query: diffQuery,
    answer: { status: 200, json: stateDiff, texts: ["text/plain; charset=UTF-8"] },
    errors: ["revision_gone", "revision_unknown", "limit_exceeded", "busy", "too_large"],
    handle: differences,
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/changes",
    id: "listChanges",
    summary: "Lists the changes in a sandbox with their authors and times: the newest first, a page at a time.",
    access: { kind: "scope", scope: "sandboxes:connect" },
    query: changesQuery,
    answer: { status: 200, json: changeList },
    handle: async ({ controlApi, tenantId, query, path: { id = "" } }) =>
      json(await changes(controlApi, tenantId, id, query)),
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/export",
    id: "exportSandbox",
    summary: "Returns a sandbox as YAML for `kubectl apply`, or its whole state as a file.",
    access: { kind: "scope", scope: "sandboxes:connect" },
    query: exportQuery,
    answer: { status: 200, texts: ["application/yaml"], file: stateMediaType },
    errors: ["too_large", "busy"],
    handle: written,
  }),
];

async function differences(call: RouteCall<ReturnType<typeof diffQuery.parse>, unknown>): Promise<Response> {
  const { controlApi, caller, tenantId, query, path, headers } = call;
  if ([query.from, query.to].some(looksLikeSnapshotId)) requireScope(caller, "snapshots:read");
  const both = await compared(controlApi, tenantId, path["id"] ?? "", query);
  if (!/text\/plain/i.test(headers.get("accept") ?? "")) return json(fieldDifferences(both));
  const { text: read, truncated } = textDifferences(both);
  const cut = "# Cut here: more differs than one answer tells.\n";
  return text(truncated ? `${read}${cut}` : read, "text/plain; charset=UTF-8");
}

async function written(call: RouteCall<ReturnType<typeof exportQuery.parse>, unknown>): Promise<Response> {
  const { controlApi, tenantId, query, path, headers } = call;
  const { id = "" } = path;
  const wantsState = (headers.get("accept") ?? "").toLowerCase().includes(stateMediaType);
  const format = query.format ?? (wantsState ? "state" : "yaml");
  if (format === "yaml") return text(await exportYaml(controlApi, tenantId, id), "application/yaml");
  const file = { "content-type": stateMediaType, "content-disposition": `attachment; filename="${id}.sandbar-state"` };
  return new Response(await exportState(controlApi, tenantId, id), { headers: file });
}
