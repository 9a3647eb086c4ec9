// The control API: `/v1` as a list of routes. Every route needs an API key.
import { Hono, type Context } from "hono";
import { isStorageFull } from "../../../shared/base/storage-full.ts";
import { createSandbox, listQuery, type SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { createToken } from "../../../shared/contract/token.ts";
import {
  createSnapshot,
  diffQuery,
  exportQuery,
  forkSandbox,
  importQuery,
  restoreSandbox,
  stateMediaType,
  stateUploadQuery,
  undoSandbox,
} from "../../../shared/contract/snapshot.ts";
import { fieldDifferences, textDifferences } from "../../../shared/state/differences.ts";
import { boundedText, check, readBody, readJson } from "./body.ts";
import { ControlError } from "./control-error.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { hashOf } from "../mac.ts";
import {
  auditEvents,
  deleteSandbox,
  fullError,
  getSandbox,
  listSandboxes,
  makeSandbox,
  makeSandboxOf,
} from "./sandboxes.ts";
import { compared, exportState, exportYaml, fork, restoreFrom, undo } from "./sandbox-states.ts";
import type { ControlApiServer } from "./service.ts";
import { deleteSnapshot, getSnapshot, listSnapshots, makeSnapshot, stateOfSnapshot } from "./snapshots.ts";
import { readStateBody, verifiedState } from "./states.ts";
import { listTokens, makeUserToken, makeViewToken, revokeToken } from "./sandbox-tokens.ts";

interface ControlEnv {
  Bindings: { readonly service: ControlApiServer };
  Variables: { tenantId: string };
}

type ControlContext = Context<ControlEnv>;

const yamlTypes = ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"];
const keyShape = /^bearer +(sbk_[A-Za-z0-9]{16,128}) *$/i;

/** Called as `controlApi.fetch(request, { service })`. */
export const controlApi = new Hono<ControlEnv>();

controlApi.use("*", async (context, next) => {
  await next();
  context.header("cache-control", "no-store");
  context.header("x-content-type-options", "nosniff");
  context.header("referrer-policy", "no-referrer");
  context.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
});

controlApi.get("/healthz", (context) => context.text("ok"));

controlApi.use("/v1/*", async (context, next) => {
  const key = keyShape.exec(context.req.header("authorization") ?? "")?.[1];
  const tenantId = key && (await context.env.service.directory.tenantOfKey(await hashOf(key)));
  if (!tenantId) throw new ControlError(401, "unauthorized", "send an API key as `Authorization: Bearer sbk_...`");
  context.set("tenantId", tenantId);
  await next();
});

controlApi.post("/v1/sandboxes", async (context) => {
  const { service } = context.env;
  const { tenantId } = context.var;
  const { raw } = context.req;
  const type = (raw.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (yamlTypes.includes(type)) {
    const query = check(importQuery, context.req.query());
    const input = check(createSandbox, { ...query, import: await boundedText(raw) });
    return answer(context, await makeSandbox(service, tenantId, input), 201);
  }
  if (type === stateMediaType) {
    const options = check(stateUploadQuery, context.req.query());
    const state = await verifiedState(service.secret, await readStateBody(raw));
    return answer(context, await makeSandboxOf(service, tenantId, options, state), 201);
  }
  const given = await readJson(raw);
  const input = check(createSandbox, given);
  if (input.snapshot === undefined) return answer(context, await makeSandbox(service, tenantId, input), 201);
  checkWithSnapshot(given);
  const state = await stateOfSnapshot(service, tenantId, input.snapshot);
  return answer(context, await makeSandboxOf(service, tenantId, input, state), 201);
});

controlApi.get("/v1/sandboxes", async (context) => {
  const query = check(listQuery, context.req.query());
  return context.json(await listSandboxes(context.env.service, context.var.tenantId, query));
});

controlApi.get("/v1/sandboxes/:id", async (context) => {
  return answer(context, await getSandbox(context.env.service, context.var.tenantId, context.req.param("id")), 200);
});

controlApi.delete("/v1/sandboxes/:id", async (context) => {
  await deleteSandbox(context.env.service, context.var.tenantId, context.req.param("id"));
  return context.body(null, 204);
});

controlApi.get("/v1/sandboxes/:id/kubeconfig", async (context) => {
  const { service } = context.env;
  return yaml(context, await getSandbox(service, context.var.tenantId, context.req.param("id")), 200);
});

controlApi.get("/v1/sandboxes/:id/audit", async (context) => {
  return context.json(await auditEvents(context.env.service, context.var.tenantId, context.req.param("id")));
});

controlApi.post("/v1/sandboxes/:id/tokens", async (context) => {
  const input = await readBody(context.req.raw, createToken);
  const { service } = context.env;
  const { tenantId } = context.var;
  const id = context.req.param("id");
  const { user } = input;
  if (user === undefined) return context.json(await makeViewToken(service, tenantId, id, input), 201);
  const made = await makeUserToken(service, tenantId, id, { ...input, user });
  if (!wantsYaml(context)) return context.json(made, 201);
  return yaml(context, { ...(await getSandbox(service, tenantId, id)), token: made.token }, 201);
});

controlApi.get("/v1/sandboxes/:id/tokens", async (context) => {
  return context.json(await listTokens(context.env.service, context.var.tenantId, context.req.param("id")));
});

controlApi.delete("/v1/sandboxes/:id/tokens/:token", async (context) => {
  const { id, token } = context.req.param();
  await revokeToken(context.env.service, context.var.tenantId, id, token);
  return context.body(null, 204);
});

controlApi.post("/v1/sandboxes/:id/snapshots", async (context) => {
  const input = await readBody(context.req.raw, createSnapshot);
  const made = await makeSnapshot(context.env.service, context.var.tenantId, context.req.param("id"), input);
  return context.json(made, 201);
});

for (const path of ["/v1/snapshots", "/v1/sandboxes/:id/snapshots"]) {
  controlApi.get(path, async (context) => {
    const query = check(listQuery, context.req.query());
    return context.json(await listSnapshots(context.env.service, context.var.tenantId, query, context.req.param("id")));
  });
}

for (const path of ["/v1/snapshots/:snapshot", "/v1/sandboxes/:id/snapshots/:snapshot"]) {
  controlApi.get(path, async (context) => {
    const { id, snapshot = "" } = context.req.param() as Record<string, string>;
    return context.json(await getSnapshot(context.env.service, context.var.tenantId, snapshot, id));
  });
  controlApi.delete(path, async (context) => {
    const { id, snapshot = "" } = context.req.param() as Record<string, string>;
    await deleteSnapshot(context.env.service, context.var.tenantId, snapshot, id);
    return context.body(null, 204);
  });
}

controlApi.post("/v1/sandboxes/:id/restore", async (context) => {
  const input = await readBody(context.req.raw, restoreSandbox);
  return context.json(await restoreFrom(context.env.service, context.var.tenantId, context.req.param("id"), input));
});

controlApi.post("/v1/sandboxes/:id/fork", async (context) => {
  const input = await readBody(context.req.raw, forkSandbox);
  return answer(context, await fork(context.env.service, context.var.tenantId, context.req.param("id"), input), 201);
});

controlApi.post("/v1/sandboxes/:id/undo", async (context) => {
  const input = await readBody(context.req.raw, undoSandbox);
  return context.json(await undo(context.env.service, context.var.tenantId, context.req.param("id"), input));
});

controlApi.get("/v1/sandboxes/:id/diff", async (context) => {
  const query = check(diffQuery, context.req.query());
  const both = await compared(context.env.service, context.var.tenantId, context.req.param("id"), query);
  if (!/text\/plain/i.test(context.req.header("accept") ?? "")) return context.json(fieldDifferences(both));
  const { text, truncated } = textDifferences(both);
  return context.text(truncated ? `${text}# Cut here: more differs than one answer tells.\n` : text);
});

controlApi.get("/v1/sandboxes/:id/export", async (context) => {
  const { service } = context.env;
  const { tenantId } = context.var;
  const id = context.req.param("id");
  const wantsState = (context.req.header("accept") ?? "").toLowerCase().includes(stateMediaType);
  const { format } = check(exportQuery, { ...(wantsState ? { format: "state" } : {}), ...context.req.query() });
  if (format === "yaml")
    return context.body(await exportYaml(service, tenantId, id), 200, { "content-type": "application/yaml" });
  const headers = {
    "content-type": stateMediaType,
    "content-disposition": `attachment; filename="${id}.sandbar-state"`,
  };
  return context.body(await exportState(service, tenantId, id), 200, headers);
});

// Reached only by the methods that are not above.
const methods = {
  "/healthz": "GET, HEAD",
  "/v1/sandboxes": "GET, HEAD, POST",
  "/v1/sandboxes/:id": "DELETE, GET, HEAD",
  "/v1/sandboxes/:id/kubeconfig": "GET, HEAD",
  "/v1/sandboxes/:id/audit": "GET, HEAD",
  "/v1/sandboxes/:id/tokens": "GET, HEAD, POST",
  "/v1/sandboxes/:id/tokens/:token": "DELETE",
  "/v1/sandboxes/:id/snapshots": "GET, HEAD, POST",
  "/v1/sandboxes/:id/snapshots/:snapshot": "DELETE, GET, HEAD",
  "/v1/snapshots": "GET, HEAD",
  "/v1/snapshots/:snapshot": "DELETE, GET, HEAD",
  "/v1/sandboxes/:id/restore": "POST",
  "/v1/sandboxes/:id/fork": "POST",
  "/v1/sandboxes/:id/undo": "POST",
  "/v1/sandboxes/:id/diff": "GET, HEAD",
  "/v1/sandboxes/:id/export": "GET, HEAD",
};
for (const [path, allow] of Object.entries(methods)) {
  controlApi.all(path, (context) => {
    context.header("allow", allow);
    const message = `${context.req.method} is not possible here, only ${allow}`;
    return context.json(new ControlError(405, "method_not_allowed", message).toBody(), 405);
  });
}

controlApi.notFound((context) => {
  return context.json(new ControlError(404, "not_found", "there is nothing at this path").toBody(), 404);
});

controlApi.onError(async (error, context) => {
  if (error instanceof ControlError) return context.json(error.toBody(), error.status);
  const { service } = context.env;
  // Of a disk that is full to the last byte not every error says so.
  const isShort = isFull(error) || (service.hasRoom !== undefined && !(await service.hasRoom()));
  if (isShort) return context.json(fullError().toBody(), 507);
  service.report(error, `${context.req.method} ${context.req.path}`);
  return context.json(new ControlError(500, "internal", "something went wrong on our side").toBody(), 500);
});

/** What a snapshot says itself may not be said beside it. */
function checkWithSnapshot(given: unknown): void {
  const fields = Object.keys(given ?? {}).filter((field) => !["snapshot", "name", "ttlSeconds"].includes(field));
  const [field] = fields;
  if (field === undefined) return;
  throw new ControlError(
    400,
    "invalid_field",
    `${field}: cannot be given beside a snapshot, which says it itself`,
    field,
  );
}

/** D1's own words are in the cause of what its driver throws. */
function isFull(error: unknown): boolean {
  return isStorageFull(error) || (error instanceof Error && isStorageFull(error.cause));
}

function answer(context: ControlContext, sandbox: SandboxWithToken, status: 200 | 201): Response {
  return wantsYaml(context) ? yaml(context, sandbox, status) : context.json(sandbox, status);
}

function wantsYaml(context: ControlContext): boolean {
  return /(application\/(x-)?yaml|text\/(x-)?yaml)/i.test(context.req.header("accept") ?? "");
}

function yaml(context: ControlContext, { name, server, token }: SandboxWithToken, status: 200 | 201): Response {
  const text = kubeconfig({ name, server, token, ca: context.env.service.ca });
  return context.body(text, status, { "content-type": "application/yaml" });
}
