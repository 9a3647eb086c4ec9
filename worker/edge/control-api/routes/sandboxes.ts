// Routes of sandboxes: create, list, get, change and delete.
import type * as z from "zod";
import { auditEventList } from "../../../../shared/contract/audit.ts";
import {
  createQuery,
  createSandbox,
  importSettings,
  newSandbox,
  patchSandbox,
  resetAnswer,
  resetOptions,
  rotateOptions,
  sandboxDeletion,
  sandboxDeletionQuery,
  sandboxListQuery,
  sandboxList,
  type SandboxOptions,
  sandboxWithToken,
  type SandboxWithToken,
  shownSandbox,
} from "../../../../shared/contract/sandbox.ts";
import { kubeconfigQuery } from "../../../../shared/contract/cluster/past.ts";
import { stateMediaType } from "../../../../shared/contract/snapshot.ts";
import { requireScope } from "../access/caller.ts";
import { json, kubeconfigAnswer, encodeCreated, nothing, encodeSandbox, wantsYaml } from "../answers.ts";
import { check, invalidField } from "../body.ts";
import { type RouteCall, route } from "../route.ts";
import {
  changeSandbox,
  auditEvents,
  deleteSandbox,
  deleteSandboxes,
  getSandbox,
  listSandboxes,
  type CreatedSandbox,
  resumeCreation,
  makeSandbox,
  makeSandboxOf,
} from "../sandboxes.ts";
import { whenReady } from "../readiness.ts";
import { resetSandbox } from "../reset.ts";
import { rotateWithoutAudit, rotateToken } from "../rotate.ts";
import { stateOfSnapshot } from "../snapshots.ts";
import { verifiedState } from "../states.ts";
import { makeSandboxOfTemplate } from "../templates/templates.ts";
import { storedInitialState } from "../../files.ts";

const texts = ["application/yaml"];

export const sandboxRoutes = [
  route({
    method: "POST",
    path: "/v1/sandboxes",
    id: "createSandbox",
    summary:
      "Creates a sandbox: empty, from a snapshot, from another cluster's objects (as YAML), or from a saved state. As YAML, returns its kubeconfig.",
    access: { kind: "scope", scope: "sandboxes:create" },
    query: createQuery,
    body: createSandbox,
    resumes: true,
    fileBody: stateMediaType,
    textBody: ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"],
    answer: { status: 201, json: sandboxWithToken, texts },
    errors: ["invalid_manifests", "not_found", "expired", "limit_exceeded", "limit_reached", "beyond_plan"],
    handle: async (call) => {
      const all = (await resumeCreation(call)) ?? (await createSandboxFrom(call));
      if (call.query.wait === undefined) return encodeCreated(call, all);
      const sandbox = await whenReady(call.controlApi, call.tenantId, all.sandbox, call.query.waitSeconds);
      return encodeCreated(call, { ...all, sandbox });
    },
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes",
    id: "listSandboxes",
    summary: "Lists the sandboxes, the newest first, a page at a time.",
    access: { kind: "scope", scope: "sandboxes:read" },
    query: sandboxListQuery,
    answer: { status: 200, json: sandboxList },
    handle: async ({ controlApi, tenantId, query }) => json(await listSandboxes(controlApi, tenantId, query)),
  }),
  route({
    method: "DELETE",
    path: "/v1/sandboxes",
    id: "deleteSandboxes",
    summary: "Deletes the sandboxes that have all of the labels, a batch for each request. Their snapshots remain.",
    access: { kind: "scope", scope: "sandboxes:delete" },
    query: sandboxDeletionQuery,
    answer: { status: 200, json: sandboxDeletion },
    handle: async ({ controlApi, tenantId, query }) => json(await deleteSandboxes(controlApi, tenantId, query)),
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}",
    id: "getSandbox",
    version: { apart: ["token", "ca", "phase"] },
    summary: "Returns a sandbox. With `sandboxes:connect` it includes the token, and as YAML it is the kubeconfig.",
    access: { kind: "scope", scope: "sandboxes:read" },
    answer: { status: 200, json: shownSandbox, texts },
    handle: async (call) => encodeFoundSandbox(call, await findSandbox(call)),
  }),
  route({
    method: "PATCH",
    path: "/v1/sandboxes/{id}",
    id: "changeSandbox",
    summary:
      "Changes a sandbox's name, its expiry, its labels or its number of nodes. Labels are merged; null removes one.",
    access: { kind: "scope", scope: "sandboxes:write" },
    body: patchSandbox,
    answer: { status: 200, json: shownSandbox, texts },
    errors: ["beyond_plan", "limit_exceeded"],
    handle: async (call) => {
      const { controlApi, tenantId, body, path } = call;
      return encodeFoundSandbox(call, await changeSandbox(controlApi, tenantId, path["id"] ?? "", body));
    },
  }),
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/reset",
    id: "resetSandbox",
    summary:
      "Resets a sandbox in place to its origin: an empty cluster with its manifests, or its snapshot. With `rotateToken`, also replaces the token, which is returned to callers with `sandboxes:connect`.",
    access: { kind: "scope", scope: "sandboxes:write" },
    body: resetOptions,
    answer: { status: 200, json: resetAnswer },
    errors: ["no_beginning", "busy", "too_large", "limit_exceeded", "foreign_state", "damaged", "newer"],
    handle: async ({ controlApi, tenantId, caller, body, path: { id = "" } }) => {
      if (!body.rotateToken) return json(await resetSandbox(controlApi, tenantId, id));
      const done = await resetSandbox(controlApi, tenantId, id, (row) => rotateWithoutAudit(controlApi, row, false));
      if (!caller.scopes.has("sandboxes:connect")) return json(done);
      const { token } = await getSandbox(controlApi, tenantId, id);
      return json({ ...done, token });
    },
  }),
  route({
    method: "POST",
    path: "/v1/sandboxes/{id}/rotate",
    id: "rotateToken",
    summary:
      "Replaces the token of a sandbox's administrator. The previous token is refused at once, and its connections end. Returns what `getSandbox` returns.",
    access: { kind: "scope", scope: "sandboxes:write" },
    body: rotateOptions,
    answer: { status: 200, json: shownSandbox, texts },
    errors: ["busy", "too_many_tokens"],
    handle: async (call) => {
      const { controlApi, tenantId, caller, body, path } = call;
      // Check the scope before anything is replaced.
      if (wantsYaml(call)) requireScope(caller, "sandboxes:connect");
      return encodeFoundSandbox(call, await rotateToken(controlApi, tenantId, path["id"] ?? "", body));
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/sandboxes/{id}",
    id: "deleteSandbox",
    summary: "Deletes a sandbox and everything in it. Its snapshots remain.",
    access: { kind: "scope", scope: "sandboxes:delete" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { id = "" } }) => {
      await deleteSandbox(controlApi, tenantId, id);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/kubeconfig",
    id: "getKubeconfig",
    summary:
      "Returns the kubeconfig of a sandbox's administrator. With `at`, returns one for the sandbox at that time, read-only.",
    access: { kind: "scope", scope: "sandboxes:connect" },
    query: kubeconfigQuery,
    answer: { status: 200, texts },
    handle: async (call) => kubeconfigAnswer(call, atMoment(await findSandbox(call), call.query.at)),
  }),
  route({
    method: "GET",
    path: "/v1/sandboxes/{id}/audit",
    id: "listAuditEvents",
    summary: "Lists the audit annotations of policies and webhooks on recent requests.",
    access: { kind: "scope", scope: "sandboxes:read" },
    answer: { status: 200, json: auditEventList },
    handle: async ({ controlApi, tenantId, path: { id = "" } }) => json(await auditEvents(controlApi, tenantId, id)),
  }),
];

type Shown = Pick<RouteCall<unknown, unknown>, "controlApi" | "tenantId" | "path">;

/** A kubeconfig's server can have a path but no query. */
function atMoment(sandbox: SandboxWithToken, moment: string | undefined): SandboxWithToken {
  if (moment === undefined) return sandbox;
  const { name, server } = sandbox;
  return { ...sandbox, name: `${name}@${moment}`, server: `${server}/at/${encodeURIComponent(moment)}` };
}

function findSandbox({ controlApi, tenantId, path: { id = "" } }: Shown): Promise<SandboxWithToken> {
  return getSandbox(controlApi, tenantId, id);
}

/** Credentials require the scope `sandboxes:connect`. */
function encodeFoundSandbox(
  call: Pick<RouteCall<unknown, unknown>, "caller" | "controlApi" | "headers">,
  sandbox: SandboxWithToken,
) {
  if (wantsYaml(call)) requireScope(call.caller, "sandboxes:connect");
  if (call.caller.scopes.has("sandboxes:connect")) return encodeSandbox(call, sandbox);
  const { token: _, ...without } = sandbox;
  return json(without);
}

type Making = RouteCall<z.output<typeof createQuery>, SandboxOptions>;

async function createSandboxFrom({
  controlApi,
  caller,
  tenantId,
  query,
  body,
  json,
  file,
  text: imported,
}: Making): Promise<CreatedSandbox> {
  const { wait: _, waitSeconds: __, settings: furtherSettings, ...settings } = query;
  if (imported !== undefined) {
    const all = { ...settingsIn(furtherSettings), ...settings };
    if (typeof imported === "string")
      return makeSandbox(controlApi, tenantId, check(createSandbox, { ...all, import: imported }));
    return makeSandbox(controlApi, tenantId, check(createSandbox, all), { import: imported });
  }
  if (furtherSettings !== undefined) throw invalidField("settings", "is only for a body that is YAML");
  if (file) {
    const { nodes, version, ...options } = settings;
    if (nodes !== undefined) throw invalidField("nodes", "a state has the nodes that it has");
    if (version !== undefined) throw invalidField("version", "a state has the version that it has");
    const state = await verifiedState(controlApi.secret, file);
    const beginning = { state, madeOf: storedInitialState };
    return makeSandboxOf(controlApi, tenantId, check(newSandbox, options), beginning);
  }
  const [field] = Object.keys(settings);
  if (field !== undefined) throw invalidField(field, "stands in the body, where that is no file");
  if (body.template !== undefined) {
    rejectDefinedFields("template", json);
    requireScope(caller, "templates:read");
    return makeSandboxOfTemplate(controlApi, tenantId, body, body.template);
  }
  if (body.snapshot === undefined) return makeSandbox(controlApi, tenantId, body);
  rejectDefinedFields("snapshot", json);
  requireScope(caller, "snapshots:read");
  const state = await stateOfSnapshot(controlApi, tenantId, body.snapshot);
  return makeSandboxOf(controlApi, tenantId, body, { state, madeOf: body.snapshot });
}

/** Parses the parameter `settings`. */
function settingsIn(text: string | undefined): object {
  if (text === undefined) return {};
  try {
    // The caller validates the fields together with those of the query. This finds the ones that are no settings.
    const value: unknown = JSON.parse(text);
    check(importSettings, value);
    return value as object;
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidField("settings", "is not JSON");
    throw error;
  }
}

/** Throws 400 for a field that the snapshot or template defines itself. */
function rejectDefinedFields(what: "snapshot" | "template", json: unknown): void {
  const [field] = Object.keys(json ?? {}).filter(
    (fieldName) => fieldName !== what && !Object.hasOwn(newSandbox.shape, fieldName),
  );
  if (field !== undefined) throw invalidField(field, `cannot be given beside a ${what}, which says it itself`);
}
