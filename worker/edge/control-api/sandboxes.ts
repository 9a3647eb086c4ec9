// What can be done with sandboxes, whoever asks over whatever: make, find, list and delete.
import type { AuditEventList } from "../../../shared/k8s/audit.ts";
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { GivenLimits } from "../../../shared/contract/sandbox-limits.ts";
import type {
  Sandbox,
  SandboxList,
  SandboxOptions,
  SandboxWithToken,
  listQuery,
} from "../../../shared/contract/sandbox.ts";
import type { z } from "zod";
import { ControlError } from "./control-error.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Directory } from "../db/directory.ts";
import type { SandboxRow } from "../db/schema.ts";
import { hashOf } from "../mac.ts";
import { finish, finishLeftovers, isLeftOver, tryToFinish } from "./leftovers.ts";
import { isSandboxId, newSandboxId } from "../sandbox-id.ts";
import { adminToken } from "../tokens.ts";

export interface ControlApiServer {
  readonly directory: Directory;
  readonly secret: string;
  /** Base URL of kubeconfigs, without a slash at its end. */
  readonly server: string;
  /** Base URL of the console. */
  readonly console: string;
  /** PEM of the authority behind `server`, if it is not a public one. */
  readonly ca: string | undefined;
  /** What new sandboxes have in place of the service's own limits. */
  readonly limits?: GivenLimits | undefined;
  cluster(id: string): ClusterRpc;
  nowMs(): number;
  /** Whether anything more can be stored; absent where nobody can tell. */
  hasRoom?(): Promise<boolean>;
  /** Told of bugs, and of what could not be finished now. */
  report(error: unknown, where: string): void;
}

export async function makeSandbox(
  service: ControlApiServer,
  tenantId: string,
  input: SandboxOptions,
): Promise<SandboxWithToken> {
  await requireRoom(service);
  const { directory, secret } = service;
  const { name: given, ttlSeconds, nodes, manifests, ...options } = input;
  const id = await newSandboxId(secret, options);
  const createdAtMs = service.nowMs();
  const expiresAtMs = createdAtMs + ttlSeconds * 1000;
  const name = given ?? `sandbox-${id.slice(0, 6)}`;
  const settings = { ...options, expiresAtMs, ...(service.limits ? { limits: service.limits } : {}) };
  const row = { id, tenantId, name, nodes, createdAtMs, expiresAtMs };
  await finishLeftovers(service, tenantId);
  const adminTokenHash = await hashOf(await adminToken(secret, id));
  const cluster = service.cluster(id);
  // The row first, and nobody is shown it: wherever this is cut off, what there is of the sandbox is known, and is finished off.
  await directory.add(row);
  try {
    const made = await cluster.initialize({ settings, nodes, manifests, adminTokenHash });
    if (!made.ok) throw new ControlError(400, made.code, made.message, made.field);
    if (!(await directory.markReady(tenantId, id)))
      throw new Error("its making took so long that it was taken for cut off");
  } catch (error) {
    await tryToFinish(service, { ...row, state: "making" });
    throw error;
  }
  return withToken(service, { ...row, state: "ready" });
}

export async function getSandbox(service: ControlApiServer, tenantId: string, id: string): Promise<SandboxWithToken> {
  return withToken(service, await livingRow(service, tenantId, id));
}

/** What policies and webhooks noted of the last requests. */
export async function auditEvents(service: ControlApiServer, tenantId: string, id: string): Promise<AuditEventList> {
  await livingRow(service, tenantId, id);
  const items = await service.cluster(id).listAuditEvents();
  return { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items };
}

export async function listSandboxes(
  service: ControlApiServer,
  tenantId: string,
  { limit, cursor }: z.output<typeof listQuery>,
): Promise<SandboxList> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  await finishLeftovers(service, tenantId);
  const rows = await service.directory.list(tenantId, service.nowMs(), limit + 1, after);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    sandboxes: page.map((row) => describe(service, row)),
    ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}),
  };
}

export async function deleteSandbox(service: ControlApiServer, tenantId: string, id: string): Promise<void> {
  const row = await anyRow(service, tenantId, id);
  // Marked first: wherever this is cut off, nobody is shown the sandbox any more, and whoever comes next finishes it.
  await service.directory.markDeleting(tenantId, id);
  await finish(service, row);
}

export async function requireRoom({ hasRoom }: ControlApiServer): Promise<void> {
  if (hasRoom && !(await hasRoom())) throw fullError();
}

export function fullError(): ControlError {
  const message = "there is no room left to store anything: delete a sandbox, or make room on the disk";
  return new ControlError(507, "storage_full", message);
}

/** What is there and has not expired. */
export async function livingRow(service: ControlApiServer, tenantId: string, id: string): Promise<SandboxRow> {
  const row = await anyRow(service, tenantId, id);
  if (row.expiresAtMs <= service.nowMs()) throw goneError();
  return row;
}

export function goneError(): ControlError {
  return new ControlError(410, "expired", "the sandbox has expired");
}

async function anyRow(service: ControlApiServer, tenantId: string, id: string): Promise<SandboxRow> {
  const known = await isSandboxId(service.secret, id);
  const row = known ? await service.directory.find(tenantId, id) : undefined;
  if (row?.state === "ready") return row;
  if (row && isLeftOver(row, service.nowMs())) await tryToFinish(service, row);
  throw new ControlError(404, "not_found", "there is no such sandbox");
}

function describe({ server }: ControlApiServer, { id, name, nodes, createdAtMs, expiresAtMs }: SandboxRow): Sandbox {
  return {
    id,
    name,
    nodes,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    server: `${server}/c/${id}`,
  };
}

async function withToken(service: ControlApiServer, row: SandboxRow): Promise<SandboxWithToken> {
  return { ...describe(service, row), token: await adminToken(service.secret, row.id) };
}
