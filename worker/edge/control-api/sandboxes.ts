// Operations on sandboxes, independent of the caller and the transport: create, find, list and delete.
import type { AuditEventList } from "../../../shared/k8s/audit/event.ts";
import { createdSettings, type SandboxSettings, sandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import {
  type NewSandbox,
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
import type { KubernetesVersion } from "../../../shared/k8s/settings/release.ts";
import { fieldsOf } from "../../../shared/contract/sandbox-fields.ts";
import type * as z from "zod";
import { limits } from "../../../shared/base/limits.ts";
import { currentSecret } from "../../../shared/base/secret.ts";
import { invalidField } from "./body.ts";
import type { ClockState } from "../../../shared/contract/cluster/clock.ts";
import type { PlanLimits } from "../../../shared/contract/hosted/plan.ts";
import type { ClusterRpc, ImportedObjects } from "../../../shared/contract/cluster-object.ts";
import type { SandboxPhase } from "../../../shared/contract/hosted/sandbox-phase.ts";
import type {
  Admitted,
  CountedLimits,
  LiveSandbox,
  Quotas,
  SandboxStart,
  Source,
} from "../../../shared/contract/tenant-object.ts";
import { importedInitialState, initialStateKey, storedInitialState } from "../files.ts";
import { ControlError } from "./control-error.ts";
import { creationRefused, limitsOfSandbox, requireWithin, standingOf } from "./tenancy/plans.ts";
import { recount } from "./tenancy/reconcile.ts";
import { decodeCursor, encodeCursor } from "./http/cursor.ts";
import type { LongText } from "./http/long-text.ts";
import { finishImport, sendImport, storeImportedState } from "./http/large-import.ts";
import type { SandboxRow } from "../db/schema.ts";
import { hashOf } from "../mac.ts";
import { whileRenewed } from "./lease.ts";
import { originsOf } from "./tenancy/sandbox-origins.ts";
import { finish, finishLeftovers, isLeftOver, tryToFinish } from "./leftovers.ts";
import { serverOfSandbox } from "../address.ts";
import { looksLikeSandboxId } from "../sandbox-id.ts";
import type { ControlApiServer } from "./server.ts";
import { nodesOf, refusalError, type State } from "./states.ts";
import { adminToken, currentAdminToken, idOfSecret } from "../tokens.ts";

/** The initial content of a sandbox: requested settings, or a state with the settings that it contains. */
type InitialContent = Pick<SandboxOptions, "nodes"> &
  (
    | { readonly settings: Given; readonly manifests: string; readonly import?: string | LongText | undefined }
    | { readonly state: State; readonly madeOf: string; readonly settings?: Given }
  );

type Given = Omit<SandboxSettings, "expiresAtMs" | "limits" | "reportsTo" | "suspended">;

/** The created sandbox and the tenant's quotas afterwards. */
export interface CreatedSandbox {
  readonly sandbox: SandboxWithToken;
  /** The quotas. Undefined if an earlier attempt of the request created the sandbox. */
  readonly quotas?: Quotas;
}

/** Returns the sandbox that an interrupted attempt of the same request created, if it exists. */
export async function resumeCreation({
  controlApi,
  tenantId,
}: {
  readonly controlApi: ControlApiServer;
  readonly tenantId: string;
}): Promise<CreatedSandbox | undefined> {
  const id = controlApi.repeated?.resourceId;
  const row = id === undefined ? undefined : await controlApi.directory.find(tenantId, id);
  return row?.state === "ready" ? { sandbox: await withToken(controlApi, row) } : undefined;
}

export async function makeSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  input: SandboxOptions,
  from: Pick<NamedOptions, "source"> & { readonly import?: LongText } = {},
): Promise<CreatedSandbox> {
  const { nodes, manifests } = input;
  const { source, import: longText } = from;
  const settings = createdSettings.parse(input);
  const options = { ...input, ...(source ? { source } : {}) };
  return begin(controlApi, tenantId, options, { settings, nodes, manifests, import: longText ?? input.import });
}

/** The options of every new sandbox, independent of its initial content. */
export type NamedOptions = NewSandbox & {
  /** The source of a sandbox whose creator is not authenticated. */
  readonly source?: Source;
};

/** `madeOf`: see the column. `settings` replace those of the state. */
export interface InitialState {
  readonly state: State;
  readonly madeOf: string;
  readonly settings?: Given;
}

/** Creates a sandbox from a state, with tokens and certificates of its own. */
export async function makeSandboxOf(
  controlApi: ControlApiServer,
  tenantId: string,
  options: NamedOptions,
  beginning: InitialState,
): Promise<CreatedSandbox> {
  return begin(controlApi, tenantId, options, { ...beginning, nodes: nodesOf(beginning.state) });
}

async function begin(
  controlApi: ControlApiServer,
  tenantId: string,
  options: NamedOptions,
  beginning: InitialContent,
): Promise<CreatedSandbox> {
  await requireFreeSpace(controlApi);
  const { nodes } = beginning;
  const { ttlSeconds, source } = options;
  const { limits: plan } = await standingOf(controlApi, tenantId);
  requireWithin(plan, { nodes, ttlSeconds });
  const settings = "state" in beginning ? (beginning.settings ?? settingsOf(beginning.state)) : beginning.settings;
  const id = await controlApi.newSandboxId(settings);
  const createdAtMs = controlApi.nowMs();
  const expiresAtMs = createdAtMs + ttlSeconds * 1000;
  const name = options.name ?? `sandbox-${id.slice(0, 6)}`;
  const madeOf = "state" in beginning ? beginning.madeOf : isLong(beginning.import) ? importedInitialState : "";
  const secretId = await idOfSecret(currentSecret(controlApi.secret));
  const { anonymousAccess, version } = settings;
  const named = { ...fieldsOf(options), name };
  const row = { ...named, id, tenantId, nodes, version, madeOf, createdAtMs, expiresAtMs, secretId, anonymousAccess };
  await finishLeftovers(controlApi, tenantId);
  const live = { id, name, createdAtMs, expiresAtMs, person: controlApi.madeBy };
  const admitted = await admit(controlApi, tenantId, live, plan, source);
  if (!admitted.ok) throw creationRefused(admitted, { most: limits.tenantSandboxes, source });
  return whileRenewed(controlApi, make(controlApi, { row, plan, settings, beginning }, admitted.quotas), () =>
    controlApi.tenant(tenantId).renew(id),
  );
}

/** Corrects doubtful counts before a limit is enforced, so that deleted sandboxes do not count. */
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
  readonly row: Omit<SandboxRow, "state" | "tokenVersion" | "owner">;
  readonly plan: PlanLimits;
  readonly settings: Given;
  readonly beginning: InitialContent;
}

async function make(
  controlApi: ControlApiServer,
  { row, plan, settings, beginning }: Making,
  quotas: Quotas,
): Promise<CreatedSandbox> {
  const { id, tenantId, expiresAtMs } = row;
  const cluster = controlApi.cluster(id);
  // Insert the row first; it is hidden until the sandbox is ready. If this request is interrupted, the row lets the sweep delete the
  // remains.
  await controlApi.directory.add(row);
  try {
    const initialLimits = limitsOfSandbox(controlApi, plan);
    const details = await initialized(
      controlApi,
      cluster,
      { ...row, beginning },
      {
        ...settings,
        expiresAtMs,
        reportsTo: { tenant: tenantId, sandbox: id },
        ...(Object.keys(initialLimits).length > 0 ? { limits: initialLimits } : {}),
      },
    );
    const { start, ...answered } = details;
    if (!(await controlApi.directory.markReady(tenantId, id, controlApi.repeated?.lease)))
      throw new Error("its making took so long that it was taken for cut off");
    // Nobody waits for the count. If the call is lost, the scheduled run corrects it.
    controlApi.later(() => controlApi.tenant(tenantId).markMade(id, start), `the count of tenant ${tenantId}`);
    const sandbox = await withToken(
      controlApi,
      { ...row, owner: "", tokenVersion: 0, state: "ready" },
      phaseAtStart(start),
    );
    return { sandbox: { ...sandbox, ...answered }, quotas };
  } catch (error) {
    await tryToFinish(controlApi, row);
    throw error;
  }
}

function countedIn(plan: PlanLimits): CountedLimits {
  const { creationsPerHour, liveSandboxes, creationsPerHourPerPerson, liveSandboxesPerPerson } = plan;
  return { creationsPerHour, liveSandboxes, creationsPerHourPerPerson, liveSandboxesPerPerson };
}

/** Initializes the cluster. Returns the details for the response. */
async function initialized(
  controlApi: ControlApiServer,
  cluster: Pick<ClusterRpc, "initialize" | "receiveImport" | "continueImport">,
  row: Pick<SandboxRow, "tenantId" | "id" | "nodes" | "madeOf" | "createdAtMs"> & {
    readonly beginning: InitialContent;
  },
  settings: SandboxSettings,
): Promise<InitialDetails> {
  const { id, nodes, madeOf, beginning } = row;
  const imported = "import" in beginning ? beginning.import : undefined;
  if (isLong(imported)) await sendImport(cluster, imported);
  if ("state" in beginning && madeOf === storedInitialState)
    await controlApi.files.put(initialStateKey(row), beginning.state.bytes);
  const initialization = await cluster.initialize({
    settings,
    nodes,
    manifests: "state" in beginning ? "" : beginning.manifests,
    adminTokenHash: await hashOf(await adminToken(controlApi.secret, id)),
    ...("state" in beginning ? { state: beginning.state.bytes } : {}),
    ...(isLong(imported) ? { isImportReceived: true } : imported === undefined ? {} : { import: imported }),
  });
  if (!initialization.ok) throw refusalError(initialization, initialization.field);
  if (!isLong(imported)) return initialDetails(initialization);
  const finished = await finishImport(controlApi, cluster, row.createdAtMs + limits.importMs);
  await storeImportedState(controlApi, row);
  return initialDetails(finished);
}

type InitialDetails = Pick<SandboxWithToken, "notImported" | "notImportedCount"> & { readonly start?: SandboxStart };

function initialDetails({
  notImported,
  notImportedCount,
  start,
}: Partial<ImportedObjects> & Pick<InitialDetails, "start">): InitialDetails {
  return {
    ...(notImported ? { notImported: [...notImported] } : {}),
    ...(notImportedCount === undefined ? {} : { notImportedCount }),
    ...(start ? { start } : {}),
  };
}

function isLong(imported: string | LongText | undefined): imported is LongText {
  return typeof imported === "object";
}

/** Returns the settings of the state's sandbox without its expiry and limits, which the new sandbox sets itself. */
export function settingsOf({ file }: State): Given {
  const all = sandboxSettings.parse({ ...file.meta.settings, expiresAtMs: 0 });
  const { expiresAtMs: _, limits: __, reportsTo: ___, suspended: ____, paused: _____, ...settings } = all;
  return settings;
}

export async function getSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<SandboxWithToken> {
  return withToken(controlApi, await livingRow(controlApi, tenantId, id));
}

/** Returns the audit events that policies and webhooks recorded for recent requests. */
export async function auditEvents(controlApi: ControlApiServer, tenantId: string, id: string): Promise<AuditEventList> {
  await livingRow(controlApi, tenantId, id);
  const items = await controlApi.cluster(id).listAuditEvents();
  return { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items };
}

export async function listSandboxes(
  controlApi: ControlApiServer,
  tenantId: string,
  { limit, cursor, id, name, sort, label = [] }: z.output<typeof sandboxListQuery>,
): Promise<SandboxList> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  await finishLeftovers(controlApi, tenantId);
  const labels = labelsToFind(label);
  const filter = { id, name, labels, isOldestFirst: sort === "createdAt" };
  const rows = await controlApi.directory.list(tenantId, controlApi.nowMs(), limit + 1, after, filter);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const [phases, originOf] = await Promise.all([
    phasesOf(controlApi, tenantId, page),
    originsOf(controlApi, tenantId, page),
  ]);
  return {
    sandboxes: page.map((row) => ({ ...describe(controlApi, row, phases[row.id]), ...originOf(row) })),
    ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}),
  };
}

function labelsToFind(filters: readonly string[]): [key: string, value: string | undefined][] {
  return filters.map((filter) => {
    const at = filter.indexOf("=");
    return at < 0 ? [filter, undefined] : [filter.slice(0, at), filter.slice(at + 1)];
  });
}

/** Deletes the sandboxes that match all labels, up to the limit of one request. */
export async function deleteSandboxes(
  controlApi: ControlApiServer,
  tenantId: string,
  { label }: z.output<typeof sandboxDeletionQuery>,
): Promise<SandboxDeletion> {
  const most = sandboxesPerDeletion;
  const filter = { labels: labelsToFind(label) };
  const rows = await controlApi.directory.list(tenantId, controlApi.nowMs(), most + 1, undefined, filter);
  const page = rows.slice(0, most);
  for (let at = 0; at < page.length; at += limits.informedAtOnce) {
    await Promise.all(page.slice(at, at + limits.informedAtOnce).map((row) => deleteRow(controlApi, row)));
  }
  return { deleted: page.map(({ id }) => id), hasMore: rows.length > most };
}

/** Changes the cluster first, because the cluster enforces its expiry itself. */
export async function changeSandbox(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  { labels, ttlSeconds, expiresAt, nodes, version, ...fields }: z.output<typeof patchSandbox>,
): Promise<SandboxWithToken> {
  const row = await livingRow(controlApi, tenantId, id);
  const requestedEndMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  const expiresAtMs = ttlSeconds === undefined ? requestedEndMs : controlApi.nowMs() + ttlSeconds * 1000;
  if (requestedEndMs !== undefined) checkEnd(requestedEndMs - controlApi.nowMs());
  if (expiresAtMs !== undefined) {
    const { limits: plan } = await standingOf(controlApi, tenantId);
    requireWithin(plan, { ttlSeconds: Math.ceil((expiresAtMs - controlApi.nowMs()) / 1000) });
  }
  if (expiresAtMs !== undefined && !(await controlApi.cluster(id).setExpiry(expiresAtMs))) throw expiredError();
  if (nodes !== undefined) await setNodes(controlApi, row, nodes);
  if (version !== undefined) await setVersion(controlApi, row, version);
  const end = expiresAtMs === undefined ? {} : { expiresAtMs };
  const cluster = { ...(nodes === undefined ? {} : { nodes }), ...(version === undefined ? {} : { version }) };
  const named = { ...fields, ...end, ...cluster };
  const to = { ...named, ...(labels === undefined ? {} : { labels }) };
  if (Object.keys(to).length > 0 && !(await controlApi.directory.change(tenantId, id, to))) {
    // Throws if the sandbox is gone; otherwise the labels are the reason.
    await anyRow(controlApi, tenantId, id);
    throw labels ? invalidField("labels", `must leave at most ${limits.labels} entries`) : unknownError();
  }
  // If this fails, the scheduled run corrects the count.
  const counted = { ...(fields.name === undefined ? {} : { name: fields.name }), ...end };
  if (Object.keys(to).length > 0)
    await controlApi
      .tenant(tenantId)
      .recordChange(id, counted)
      .catch((error: unknown) => controlApi.report(error, `the count of tenant ${tenantId}`));
  // The directory has merged the labels.
  return withToken(controlApi, labels ? await anyRow(controlApi, tenantId, id) : { ...row, ...named });
}

async function setNodes(controlApi: ControlApiServer, { tenantId, id, nodes: before }: SandboxRow, nodes: number) {
  const { limits: plan } = await standingOf(controlApi, tenantId);
  requireWithin(plan, { nodes });
  const done = await controlApi.cluster(id).setNodes(nodes, before);
  if (!done.ok) throw refusalError(done, done.field);
}

async function setVersion(controlApi: ControlApiServer, { id }: SandboxRow, version: KubernetesVersion) {
  const done = await controlApi.cluster(id).setVersion(version);
  if (!done.ok) throw refusalError(done, done.field);
}

/** Throws 400 if a sandbox cannot live that long from now on. */
function checkEnd(leftMs: number): void {
  const { sandboxTtlSecondsMin: least, sandboxTtlSecondsMax: most } = limits;
  if (leftMs >= least * 1000 && leftMs <= most * 1000) return;
  throw invalidField("expiresAt", `must be ${least} to ${most} seconds from now`);
}

export async function deleteSandbox(controlApi: ControlApiServer, tenantId: string, id: string): Promise<void> {
  await deleteRow(controlApi, await anyRow(controlApi, tenantId, id));
}

async function deleteRow(controlApi: ControlApiServer, row: SandboxRow): Promise<void> {
  // Mark the row first. If this request is interrupted, the sandbox is hidden already, and the sweep finishes the deletion.
  await controlApi.directory.markDeleting(row.tenantId, row.id);
  await finish(controlApi, row);
}

export async function requireFreeSpace({ hasFreeSpace }: ControlApiServer): Promise<void> {
  if (hasFreeSpace && !(await hasFreeSpace())) throw fullError();
}

export function fullError(): ControlError {
  const message = "there is no room left to store anything: delete a sandbox, or make room on the disk";
  return new ControlError(507, "storage_full", message);
}

/** Returns the row of a ready sandbox that has not expired. */
export async function livingRow(controlApi: ControlApiServer, tenantId: string, id: string): Promise<SandboxRow> {
  const row = await anyRow(controlApi, tenantId, id);
  if (row.expiresAtMs <= controlApi.nowMs()) throw expiredError();
  return row;
}

export function expiredError(): ControlError {
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

function describe(controlApi: ControlApiServer, row: SandboxRow, phase: SandboxPhase = "Unknown"): Sandbox {
  const { id, nodes, version, createdAtMs, expiresAtMs } = row;
  return {
    id,
    ...fieldsOf(row),
    phase,
    nodes,
    version,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    server: serverOfSandbox(controlApi, id),
  };
}

/** Returns the sandbox with its token. `phase`: its phase, if it is known already. */
export async function withToken(
  controlApi: ControlApiServer,
  row: SandboxRow,
  phase?: SandboxPhase,
): Promise<SandboxWithToken> {
  const { ca, secret } = controlApi;
  const token = await currentAdminToken(secret, row);
  const shownPhase = phase ?? (await phasesOf(controlApi, row.tenantId, [row]))[row.id];
  return { ...describe(controlApi, row, shownPhase), token, ...(ca ? { ca } : {}) };
}

/** Returns the phases that the tenant's object holds. If it cannot be read, sandboxes are still shown. */
async function phasesOf(
  controlApi: ControlApiServer,
  tenantId: string,
  rows: readonly SandboxRow[],
): Promise<Readonly<Record<string, SandboxPhase>>> {
  if (rows.length === 0) return {};
  try {
    return await controlApi.tenant(tenantId).phases(rows.map(({ id }) => id));
  } catch (error) {
    controlApi.report(error, `the phases of the sandboxes of tenant ${tenantId}`);
    return {};
  }
}

function phaseAtStart(start: SandboxStart | undefined): SandboxPhase {
  if (start?.isPaused) return "Paused";
  return start?.isReady ? "Running" : "Pending";
}

/**
 * Records whether the sandbox's clock is paused, after a request that may have changed it. `state`: the state of the clock, if it is known
 * already. A failure is reported, because the request has succeeded.
 */
export async function recordClock(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  state?: ClockState,
): Promise<void> {
  try {
    const now = state ?? (await controlApi.cluster(id).getClock())?.state;
    if (now) await controlApi.tenant(tenantId).recordChange(id, { isPaused: now === "paused" });
  } catch (error) {
    controlApi.report(error, `the phase of sandbox ${id}`);
  }
}
