// People, sessions and keys of tests, entered in D1 as the service itself would.
import type { DatabaseSync } from "node:sqlite";
import { limits } from "../../shared/base/limits.ts";
import type { Role, Scope } from "../../shared/contract/scope.ts";
import { hashOf } from "../../worker/edge/mac.ts";

export interface SignedIn {
  readonly id: string;
  readonly cookie: string;
  /** The hash of the session in the cookie. */
  readonly hash: string;
}

/** Adds a signed-in person to a tenant. `name` has letters only. */
export async function addPerson(
  database: DatabaseSync,
  name: string,
  { tenant, role, nowMs }: { readonly tenant: string | undefined; readonly role: Role; readonly nowMs: number },
): Promise<SignedIn> {
  const id = `usr${name.padEnd(20, "x")}`;
  database.prepare("INSERT INTO people (id, name, created_at_ms) VALUES (?, ?, ?)").run(id, name, nowMs);
  if (tenant !== undefined) {
    database
      .prepare("INSERT INTO members (tenant_id, person_id, role, created_at_ms) VALUES (?, ?, ?, ?)")
      .run(tenant, id, role, nowMs);
  }
  return { id, ...(await addSession(database, id, { tenant, secret: `sbs_${name.padEnd(51, "x")}`, nowMs })) };
}

export async function addSession(
  database: DatabaseSync,
  personId: string,
  { tenant, secret, nowMs }: { readonly tenant: string | undefined; readonly secret: string; readonly nowMs: number },
): Promise<Omit<SignedIn, "id">> {
  const hash = await hashOf(secret);
  database
    .prepare(
      "INSERT INTO sessions (hash, person_id, tenant_id, browser, address, created_at_ms, expires_at_ms, last_used_at_ms) VALUES (?, ?, ?, '', '', ?, ?, ?)",
    )
    .run(hash, personId, tenant ?? null, nowMs, nowMs + limits.sessionMs, nowMs);
  return { cookie: `sandbar-session=${secret}`, hash };
}

/** A key with these scopes; its text. */
export async function addKey(database: DatabaseSync, tenant: string, name: string, scopes: readonly Scope[]) {
  const key = `sbk_${(await hashOf(name)).slice(0, 40)}`;
  database
    .prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms, name, scopes) VALUES (?, ?, 0, ?, ?)")
    .run(await hashOf(key), tenant, name, JSON.stringify(scopes));
  return key;
}

/** All that is stored, row by row, each with its table. */
export function storedRows(database: DatabaseSync): string[] {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM ${String(name)}`)
      .all()
      .map((row) => `${String(name)} ${JSON.stringify(row)}`),
  );
}
