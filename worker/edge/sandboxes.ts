// What can be done with sandboxes, whoever asks over whatever: make, find, list and delete.
import type { AuditEventList } from "../../shared/k8s/audit.ts";
import type { ClusterRpc, InitializeOptions } from "../../shared/contract/cluster-object.ts";
import type { GivenLimits } from "../../shared/contract/sandbox-limits.ts";
import type {
  Sandbox,
  SandboxList,
  SandboxWithToken,
  createSandbox,
  listQuery,
} from "../../shared/contract/sandbox.ts";
import type { z } from "zod";
import { ControlError } from "./control-error.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Directory } from "./db/directory.ts";
import type { SandboxRow } from "./db/schema.ts";
import { hashOf } from "./mac.ts";
import { isSandboxId, newSandboxId } from "./sandbox-id.ts";
import { adminToken } from "./tokens.ts";

export interface Service {
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
}

export async function makeSandbox(
  service: Service,
  tenantId: string,
  input: z.output<typeof createSandbox>,
): Promise<SandboxWithToken> {
  const { directory, secret } = service;
  const id = await newSandboxId(secret, input.anonymousAccess ? "open" : "closed");
  const createdAtMs = service.nowMs();
  const expiresAtMs = createdAtMs + input.ttlSeconds * 1000;
  const name = input.name ?? `sandbox-${id.slice(0, 6)}`;
  const row = { id, tenantId, name, nodes: input.nodes, createdAtMs, expiresAtMs };
  const adminTokenHash = await hashOf(await adminToken(secret, id));
  const cluster = service.cluster(id);
  // The cluster first: were it the row, a crash in between would leave a sandbox that never answers. So it leaves one that nobody
  // knows, and its own expiry ends it.
  const { ttlSeconds: _ttl, ...options } = input;
  const made = await cluster.initialize({ ...options, id, name, expiresAtMs, adminTokenHash, ...limitsOf(service) });
  if (!made.ok) {
    await cluster.destroy();
    throw new ControlError(400, made.code, made.message, made.field);
  }
  try {
    await directory.add(row);
  } catch (error) {
    await cluster.destroy();
    throw error;
  }
  return withToken(service, row);
}

function limitsOf({ limits }: Service): Pick<InitializeOptions, "limits"> {
  return limits ? { limits } : {};
}

export async function getSandbox(service: Service, tenantId: string, id: string): Promise<SandboxWithToken> {
  return withToken(service, await livingRow(service, tenantId, id));
}

/** What policies and webhooks noted of the last requests. */
export async function auditEvents(service: Service, tenantId: string, id: string): Promise<AuditEventList> {
  await livingRow(service, tenantId, id);
  const items = await service.cluster(id).listAuditEvents();
  return { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items };
}

export async function listSandboxes(
  service: Service,
  tenantId: string,
  { limit, cursor }: z.output<typeof listQuery>,
): Promise<SandboxList> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await service.directory.list(tenantId, service.nowMs(), limit + 1, after);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    sandboxes: page.map((row) => describe(service, row)),
    ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}),
  };
}

export async function deleteSandbox(service: Service, tenantId: string, id: string): Promise<void> {
  await anyRow(service, tenantId, id);
  await service.cluster(id).destroy();
  await service.directory.remove(tenantId, id);
}

/** What is there and has not expired. */
export async function livingRow(service: Service, tenantId: string, id: string): Promise<SandboxRow> {
  const row = await anyRow(service, tenantId, id);
  if (row.expiresAtMs <= service.nowMs()) throw new ControlError(410, "expired", "the sandbox has expired");
  return row;
}

async function anyRow(service: Service, tenantId: string, id: string): Promise<SandboxRow> {
  const known = await isSandboxId(service.secret, id);
  const row = known ? await service.directory.find(tenantId, id) : undefined;
  if (!row) throw new ControlError(404, "not_found", "there is no such sandbox");
  return row;
}

function describe({ server }: Service, { id, name, nodes, createdAtMs, expiresAtMs }: SandboxRow): Sandbox {
  return {
    id,
    name,
    nodes,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    server: `${server}/c/${id}`,
  };
}

async function withToken(service: Service, row: SandboxRow): Promise<SandboxWithToken> {
  return { ...describe(service, row), token: await adminToken(service.secret, row.id) };
}
