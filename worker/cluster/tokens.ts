// The tokens of one cluster: their hashes, whom they stand for, and until when.
import { createHash } from "node:crypto";
import type { NewToken } from "../../shared/contract/cluster-object.ts";
import { viewersGroup } from "../../shared/k8s/access.ts";
import type { Identity } from "../api/service.ts";
import { first, type Sql } from "../store/sql.ts";

interface Known {
  readonly identity: Identity;
  readonly expiresMs: number | null;
}

/** The tokens that were shown lately, by their text: every request shows one, nearly always the same. */
const shown = new WeakMap<Sql, Map<string, Known>>();
const keptTokens = 100;

export function storeToken(sql: Sql, token: NewToken): void {
  shown.delete(sql);
  sql.run(
    "INSERT OR REPLACE INTO tokens (hash, user, groups, expires_ms, read_only, frame_origins) VALUES (?, ?, ?, ?, ?, ?)",
    token.hash,
    token.user,
    JSON.stringify(token.groups),
    token.expiresAtMs ?? null,
    token.readOnly ? 1 : 0,
    JSON.stringify(token.frameOrigins),
  );
}

/** The admin token's identity, as kubeadm's admin.conf has it. */
export function adminToken(hash: string): NewToken {
  return {
    hash,
    user: "kubernetes-admin",
    groups: ["system:masters"],
    expiresAtMs: undefined,
    readOnly: false,
    frameOrigins: [],
  };
}

/** Looks a token up; expiry is told by the machine's clock, never by the sandbox's own. */
export function identify(sql: Sql, token: string, nowMs: number): Identity | undefined {
  const known = shown.get(sql)?.get(token) ?? lookUp(sql, token);
  return !known || (known.expiresMs !== null && known.expiresMs <= nowMs) ? undefined : known.identity;
}

function lookUp(sql: Sql, token: string): Known | undefined {
  const hash = createHash("sha256").update(token).digest("hex");
  const row = first<{ user: string; groups: string; expires_ms: number | null; read_only: number }>(
    sql,
    "SELECT user, groups, expires_ms, read_only FROM tokens WHERE hash = ?",
    hash,
  );
  if (!row) return undefined;
  const readOnly = row.read_only === 1;
  // storeToken wrote a list of strings.
  const groups = JSON.parse(row.groups) as string[];
  const user = {
    name: row.user,
    groups: [...new Set([...groups, ...(readOnly ? [viewersGroup] : []), "system:authenticated"])],
  };
  const known = { identity: { user, readOnly }, expiresMs: row.expires_ms };
  const tokens = shown.get(sql) ?? new Map<string, Known>();
  if (tokens.size >= keptTokens) tokens.clear();
  shown.set(sql, tokens.set(token, known));
  return known;
}
