// What can be done with sandboxes, whoever asks over whatever: make, find, list and delete.
import type { AuditEventList } from "../../../shared/k8s/audit.ts";
import { type SandboxSettings, sandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import {
  type Sandbox,
  type SandboxList,
  type SandboxOptions,
  type SandboxWithToken,
  type SandboxDeletion,
  type patchSandbox,
  type sandboxDeletionQuery,
  type sandboxListQuery,
  sandboxesPerDeletion,
} from "../../../shared/contract/sandbox.ts";
import type { z } from "zod";
import { limits } from "../../../shared/base/limits.ts";
import { currentSecret } from "../../../shared/base/secret.ts";
import { invalidField } from "./body.ts";
import type { PlanLimits } from "../../../shared/contract/hosted/plan.ts";
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { Admitted, LiveSandbox, Quotas, Source } from "../../../shared/contract/tenant-object.ts";
import { beginningKey, keptBeginning } from "../files.ts";
import { ControlError } from "./control-error.ts";
import { creationRefused, limitsOfSandbox, requireWithin, standingOf } from "./tenancy/plans.ts";
import { recount } from "./tenancy/reconcile.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { SandboxRow } from "../db/schema.ts";
import { hashOf } from "../mac.ts";
import { whileRenewed } from "./lease.ts";
import { finish, finishLeftovers, isLeftOver, tryToFinish } from "./leftovers.ts";
import { serverOfSandbox } from "../address.ts";
import { looksLikeSandboxId, newSandboxId } from "../sandbox-id.ts";
import type { ControlApiServer } from "./server.ts";
import { nodesOf, refusalError, type State } from "./states.ts";
import { adminToken, currentAdminToken, idOfSecret } from "../tokens.ts";

/** How a sandbox begins: with what was asked for, or with a state, whose settings it has. */
type Beginning = Pick<SandboxOptions, "nodes"> &
  (
    | { readonly settings: Given; readonly manifests: string; readonly import?: string | undefined }
    | { readonly state: State; readonly madeOf: string; readonly settings?: Given }
  );

type Given = Omit<SandboxSettings, "expiresAtMs" | "limits" | "reportsTo" | "suspended">;

/** What was made, and what the tenant's counts are then. */
export interface Made {
  readonly sandbox: SandboxWithToken;
  /** Absent: it was made and counted before. */
  readonly quotas?: Quotas;
}

/** What the same request made before it was cut off, where that is there. */
export async function madeBefore({
  controlApi,
  tenantId,
}: {
  readonly controlApi: ControlApiServer;
  readonly tenantId: string;
}): Promise<Made | undefined> {
  const id = controlApi.repeated?.made;
  const row = id === undefined ? undefined : await controlApi.directory.find(tenantId, id);
  return row?.state === "ready" ? { sandbox: await withToken(controlApi, row) } : undefined;
}

export async function makeSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  input: SandboxOptions,
  from: Pick<NamedOptions, "source"> = {},
): Promise<Made> {
  const { name, ttlSeconds, labels, nodes, manifests, snapshot, template, import: imported, ...settings } = input;
  const named = { name, ttlSeconds, labels, ...from };
  return begin(controlApi, tenantId, named, { settings, nodes, manifests, import: imported });
}

/** What every sandbox is told, whatever it begins with. */
export type NamedOptions = Pick<SandboxOptions, "name" | "ttlSeconds" | "labels"> & {
  /** Of who has not signed in. */
  readonly source?: Source;
};

/** `madeOf`: see the column. `settings`: in place of those that the state was made with. */
export interface StateBeginning {
  readonly state: State;
  readonly madeOf: string;
  readonly settings?: Given;
}

/** One that goes on from a state, with tokens and certificates of its own. */
export async function makeSandboxOf(
  controlApi: ControlApiServer,
  tenantId: string,
  options: NamedOptions,
  beginning: StateBeginning,
): Promise<Made> {
  return begin(controlApi, tenantId, options, { ...beginning, nodes: nodesOf(beginning.state) });
}

async function begin(
  controlApi: ControlApiServer,
  tenantId: string,
  { name: given, ttlSeconds, labels, source }: NamedOptions,
  beginning: Beginning,
): Promise<Made> {
  await requireRoom(controlApi);
  const { nodes } = beginning;
  const { limits: plan } = await standingOf(controlApi, tenantId);
  requireWithin(plan, { nodes, ttlSeconds });
  const settings = "state" in beginning ? (beginning.settings ?? settingsOf(beginning.state)) : beginning.settings;
  const id = await newSandboxId(controlApi.secret, settings);
  const createdAtMs = controlApi.nowMs();
  const expiresAtMs = createdAtMs + ttlSeconds * 1000;
  const name = given ?? `sandbox-${id.slice(0, 6)}`;
  const madeOf = "state" in beginning ? beginning.madeOf : "";
  const secretId = await idOfSecret(currentSecret(controlApi.secret));
  const { anonymousAccess } = settings;
  const row = { id, tenantId, name, nodes, labels, madeOf, createdAtMs, expiresAtMs, secretId, anonymousAccess };
  await finishLeftovers(controlApi, tenantId);
  const admitted = await admit(controlApi, tenantId, { id, name, createdAtMs, expiresAtMs }, plan, source);
  if (!admitted.ok) throw creationRefused(admitted, { most: limits.tenantSandboxes, source });
  return whileRenewed(controlApi, make(controlApi, { row, plan, settings, beginning }, admitted.quotas), () =>
    controlApi.tenant(tenantId).renew(id),
  );
}

/** Nobody is refused for sandboxes that are not there. */
async function admit(
  controlApi: ControlApiServer,
  tenantId: string,
  sandbox: LiveSandbox,
  plan: PlanLimits,
  source: Source | undefined,
): Promise<Admitted> {
  const tenant = controlApi.tenant(tenantId);
  const admitted = await tenant.admit(sandbox, countedIn(plan), source);
  if (admitted.ok || !admitted.isDoubtful) return admitted;
  await recount(controlApi, tenantId);
  return tenant.admit(sandbox, countedIn(plan), source);
}

interface Making {
  readonly row: Omit<SandboxRow, "state" | "tokenVersion">;
  readonly plan: PlanLimits;
  readonly settings: Given;
  readonly beginning: Beginning;
}

async function make(
  controlApi: ControlApiServer,
  { row, plan, settings, beginning }: Making,
  quotas: Quotas,
): Promise<Made> {
  const { id, tenantId, expiresAtMs } = row;
  const cluster = controlApi.cluster(id);
  // The row first, and nobody is shown it: wherever this is cut off, what there is of the sandbox is known, and is finished off.
  await controlApi.directory.add(row);
  try {
    const own = limitsOfSandbox(controlApi, plan);
    const made = await initialized(
      controlApi,
      cluster,
      { ...row, beginning },
      {
        ...settings,
        expiresAtMs,
        reportsTo: { tenant: tenantId, sandbox: id },
        ...(Object.keys(own).length > 0 ? { limits: own } : {}),
      },
    );
    if (!(await controlApi.directory.markReady(tenantId, id, controlApi.repeated?.held)))
      throw new Error("its making took so long that it was taken for cut off");
    // Nobody waits for its events; lost, it is counted by the scheduled run.
    controlApi.later(() => controlApi.tenant(tenantId).made(id), `the count of tenant ${tenantId}`);
    const sandbox = await withToken(controlApi, { ...row, tokenVersion: 0, state: "ready" });
    return { sandbox: { ...sandbox, ...made }, quotas };
  } catch (error) {
    await tryToFinish(controlApi, row);
    throw error;
  }
}

function countedIn({ creationsPerHour, liveSandboxes }: PlanLimits) {
  return { creationsPerHour, liveSandboxes };
}

/** Returns what the answer tells of it. */
async function initialized(
  controlApi: ControlApiServer,
  cluster: Pick<ClusterRpc, "initialize">,
  row: Pick<SandboxRow, "tenantId" | "id" | "nodes" | "madeOf"> & { readonly beginning: Beginning },
  settings: SandboxSettings,
): Promise<Pick<SandboxWithToken, "notImported">> {
  const { id, nodes, madeOf, beginning } = row;
  if ("state" in beginning && madeOf === keptBeginning)
    await controlApi.files.put(beginningKey(row), beginning.state.bytes);
  const made = await cluster.initialize({
    settings,
    nodes,
    manifests: "state" in beginning ? "" : beginning.manifests,
    adminTokenHash: await hashOf(await adminToken(controlApi.secret, id)),
    ...("state" in beginning ? { state: beginning.state.bytes } : {}),
    ...("import" in beginning && beginning.import !== undefined ? { import: beginning.import } : {}),
  });
  if (!made.ok) throw refusalError(made, made.field);
  return made.notImported ? { notImported: [...made.notImported] } : {};
}

/** What its sandbox was made with; its time and its limits are the new one's own. */
export function settingsOf({ file }: State): Given {
  const all = sandboxSettings.parse({ ...file.meta.settings, expiresAtMs: 0 });
  const { expiresAtMs: _, limits: __, reportsTo: ___, suspended: ____, ...settings } = all;
  return settings;
}

export async function getSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<SandboxWithToken> {
  return withToken(controlApi, await livingRow(controlApi, tenantId, id));
}

/** What policies and webhooks noted of the last requests. */
export async function auditEvents(controlApi: ControlApiServer, tenantId: string, id: string): Promise<AuditEventList> {
  await livingRow(controlApi, tenantId, id);
  const items = await controlApi.cluster(id).listAuditEvents();
  return { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items };
}

export async function listSandboxes(
  controlApi: ControlApiServer,
  tenantId: string,
  { limit, cursor, id, name, label = [] }: z.output<typeof sandboxListQuery>,
): Promise<SandboxList> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  await finishLeftovers(controlApi, tenantId);
  const labels = labelsToFind(label);
  const rows = await controlApi.directory.list(tenantId, controlApi.nowMs(), limit + 1, after, { id, name, labels });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    sandboxes: page.map((row) => describe(controlApi, row)),
    ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}),
  };
}

function labelsToFind(filters: readonly string[]): [key: string, value: string | undefined][] {
  return filters.map((filter) => {
    const at = filter.indexOf("=");
    return at < 0 ? [filter, undefined] : [filter.slice(0, at), filter.slice(at + 1)];
  });
}

/** Deletes the sandboxes that have all labels, as many as one request may. */
export async function deleteSandboxes(
  controlApi: ControlApiServer,
  tenantId: string,
  { label }: z.output<typeof sandboxDeletionQuery>,
): Promise<SandboxDeletion> {
  const most = sandboxesPerDeletion;
  const filter = { labels: labelsToFind(label) };
  const rows = await controlApi.directory.list(tenantId, controlApi.nowMs(), most + 1, undefined, filter);
  const page = rows.slice(0, most);
  for (let at = 0; at < page.length; at += limits.toldAtOnce) {
    await Promise.all(page.slice(at, at + limits.toldAtOnce).map((row) => deleteRow(controlApi, row)));
  }
  return { deleted: page.map(({ id }) => id), hasMore: rows.length > most };
}

/** The cluster first: it ends by itself when it says so. */
export async function changeSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { name, labels, ttlSeconds, expiresAt }: z.output<typeof patchSandbox>,
): Promise<SandboxWithToken> {
  const row = await livingRow(controlApi, tenantId, id);
  const asked = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  const expiresAtMs = ttlSeconds === undefined ? asked : controlApi.nowMs() + ttlSeconds * 1000;
  if (asked !== undefined) checkEnd(asked - controlApi.nowMs());
  if (expiresAtMs !== undefined) {
    const { limits: plan } = await standingOf(controlApi, tenantId);
    requireWithin(plan, { ttlSeconds: Math.ceil((expiresAtMs - controlApi.nowMs()) / 1000) });
  }
  if (expiresAtMs !== undefined && !(await controlApi.cluster(id).setExpiry(expiresAtMs))) throw goneError();
  const named = { ...(name === undefined ? {} : { name }), ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
  const to = { ...named, ...(labels === undefined ? {} : { labels }) };
  if (Object.keys(to).length > 0 && !(await controlApi.directory.change(tenantId, id, to))) {
    // Throws if the sandbox is gone: then its labels are not the reason.
    await anyRow(controlApi, tenantId, id);
    throw labels ? invalidField("labels", `must leave at most ${limits.labels} entries`) : unknownError();
  }
  // Counted wrongly, it is counted anew by the scheduled run.
  if (name !== undefined || expiresAtMs !== undefined)
    await controlApi
      .tenant(tenantId)
      .changed(id, named)
      .catch((error: unknown) => controlApi.report(error, `the count of tenant ${tenantId}`));
  // The labels are what the directory has made of them.
  return withToken(controlApi, labels ? await anyRow(controlApi, tenantId, id) : { ...row, ...named });
}

/** Of a sandbox that is to live so long from now on. */
function checkEnd(leftMs: number): void {
  const { sandboxTtlSecondsMin: least, sandboxTtlSecondsMax: most } = limits;
  if (leftMs >= least * 1000 && leftMs <= most * 1000) return;
  throw invalidField("expiresAt", `must be ${least} to ${most} seconds from now`);
}

export async function deleteSandbox(controlApi: ControlApiServer, tenantId: string, id: string): Promise<void> {
  await deleteRow(controlApi, await anyRow(controlApi, tenantId, id));
}

async function deleteRow(controlApi: ControlApiServer, row: SandboxRow): Promise<void> {
  // Marked first: wherever this is cut off, nobody is shown the sandbox any more, and whoever comes next finishes it.
  await controlApi.directory.markDeleting(row.tenantId, row.id);
  await finish(controlApi, row);
}

export async function requireRoom({ hasRoom }: ControlApiServer): Promise<void> {
  if (hasRoom && !(await hasRoom())) throw fullError();
}

export function fullError(): ControlError {
  const message = "there is no room left to store anything: delete a sandbox, or make room on the disk";
  return new ControlError(507, "storage_full", message);
}

/** What is there and has not expired. */
export async function livingRow(controlApi: ControlApiServer, tenantId: string, id: string): Promise<SandboxRow> {
  const row = await anyRow(controlApi, tenantId, id);
  if (row.expiresAtMs <= controlApi.nowMs()) throw goneError();
  return row;
}

export function goneError(): ControlError {
  return new ControlError(410, "expired", "the sandbox has expired");
}

async function anyRow(controlApi: ControlApiServer, tenantId: string, id: string): Promise<SandboxRow> {
  const row = looksLikeSandboxId(id) ? await controlApi.directory.find(tenantId, id) : undefined;
  if (row?.state === "ready") return row;
  if (row && isLeftOver(row, controlApi.nowMs())) await tryToFinish(controlApi, row);
  throw unknownError();
}

export function unknownError(): ControlError {
  return new ControlError(404, "not_found", "there is no such sandbox");
}

function describe(
  controlApi: ControlApiServer,
  { id, name, labels, nodes, createdAtMs, expiresAtMs }: SandboxRow,
): Sandbox {
  return {
    id,
    name,
    labels,
    nodes,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    server: serverOfSandbox(controlApi, id),
  };
}

export async function withToken(controlApi: ControlApiServer, row: SandboxRow): Promise<SandboxWithToken> {
  const { ca, secret } = controlApi;
  return { ...describe(controlApi, row), token: await currentAdminToken(secret, row), ...(ca ? { ca } : {}) };
}
