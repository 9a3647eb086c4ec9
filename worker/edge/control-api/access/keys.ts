// API keys of a tenant. A caller can create or revoke only keys whose scopes it has itself.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import type { createKey, Key, KeyList, KeyWithSecret } from "../../../../shared/contract/key.ts";
import { allScopes } from "../../../../shared/contract/scope.ts";
import { keyIdLength } from "../../db/keys.ts";
import type { KeyRow } from "../../db/tenant-tables.ts";
import { hashOf, randomText } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { type Caller, requireAll } from "./caller.ts";

const idShape = /^[0-9a-f]{20}$/;
const secretLength = 48;

export async function makeKey(
  controlApi: ControlApiServer,
  caller: Caller,
  { name, scopes, ttlSeconds }: z.output<typeof createKey>,
): Promise<KeyWithSecret> {
  requireAll(caller, scopes);
  await requireFreeSpace(controlApi);
  const secret = `sbk_${randomText(secretLength)}`;
  const createdAtMs = controlApi.nowMs();
  const row = {
    hash: await hashOf(secret),
    tenantId: caller.tenantId,
    createdAtMs,
    name,
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    expiresAtMs: endOf(caller, ttlSeconds === undefined ? undefined : createdAtMs + ttlSeconds * 1000),
    personId: caller.madeBy ?? null,
  };
  if (!(await controlApi.keys.add(row, limits.keys))) {
    throw new ControlError(409, "too_many_keys", `there are ${limits.keys} keys, which is the most: revoke some`);
  }
  return { ...describe({ ...row, lastUsedAtMs: null }), key: secret };
}

export async function listKeys({ keys, nowMs }: ControlApiServer, tenantId: string): Promise<KeyList> {
  return { keys: (await keys.list(tenantId, nowMs())).map(describe) };
}

export async function revokeKey(
  { keys, callerCache: callers }: ControlApiServer,
  caller: Caller,
  id: string,
): Promise<void> {
  const row = idShape.test(id) ? await keys.findById(caller.tenantId, id) : undefined;
  if (!row) throw unknownKey();
  // Every key can revoke itself.
  if (row.hash !== caller.hash) requireAll(caller, row.scopes ?? allScopes);
  const isRemoved = await keys.remove(caller.tenantId, row.hash);
  callers.clear();
  if (!isRemoved) throw unknownKey();
}

/** Returns the expiry of a new key. A key with an expiry cannot create a key that outlives it. */
function endOf({ by, endsAtMs }: Caller, requestedSeconds: number | undefined): number | null {
  const most = by.kind === "key" && Number.isFinite(endsAtMs) ? endsAtMs : undefined;
  if (requestedSeconds === undefined) return most ?? null;
  return most === undefined ? requestedSeconds : Math.min(requestedSeconds, most);
}

function unknownKey(): ControlError {
  return new ControlError(404, "not_found", "there is no such key");
}

function describe({ hash, name, scopes, createdAtMs, expiresAtMs, lastUsedAtMs, personId }: KeyRow): Key {
  return {
    id: hash.slice(0, keyIdLength),
    name,
    scopes: scopes ?? allScopes,
    createdAt: new Date(createdAtMs).toISOString(),
    ...(expiresAtMs === null ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
    ...(lastUsedAtMs === null ? {} : { lastUsedAt: new Date(lastUsedAtMs).toISOString() }),
    ...(personId === null ? {} : { madeBy: personId }),
  };
}
