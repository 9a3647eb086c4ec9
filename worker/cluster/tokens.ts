// The tokens of one cluster: their hashes, whom they stand for, and until when.
import { createHash } from "node:crypto";
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { limits } from "../../shared/base/limits.ts";
import {
  type NewToken,
  type RenewedTokens,
  type StoredToken,
  tokenIdLength,
} from "../../shared/contract/cluster-object.ts";
import { viewersGroup } from "../../shared/k8s/authorizer.ts";
import { withEveryone } from "../api/authentication/everyone.ts";
import type { Identity } from "../api/api-server.ts";
import { certificateCredential } from "../api/filters/authentication.ts";
import { first, type Sql } from "../store/sql.ts";
import { refuseCertificates } from "./certificates/client-certificate.ts";

interface TokenRow {
  readonly hash: string;
  readonly user: string;
  readonly groups: string;
  readonly expires_ms: number | null;
  readonly read_only: number;
  readonly frame_origins: string;
}

interface Known {
  readonly identity: Identity;
  readonly expiresMs: number | null;
}

/** The tokens that were shown lately, by their text: every request shows one, nearly always the same. */
const shown = new WeakMap<Sql, BoundedCache<string, Known>>();
const keptTokens = 100;

/** One that is there is replaced. False where there are as many as there may be. */
export function addToken(sql: Sql, token: NewToken, nowMs: number): boolean {
  sql.run("DELETE FROM tokens WHERE expires_ms <= ?", nowMs);
  const count =
    first<{ count: number }>(sql, "SELECT count(*) AS count FROM tokens WHERE hash <> ?", token.hash)?.count ?? 0;
  if (count >= limits.sandboxTokens) return false;
  storeToken(sql, token);
  return true;
}

/** All but the administrator's, the one that ends last at the end. */
export function listTokens(sql: Sql, nowMs: number): StoredToken[] {
  const rows = sql.all<TokenRow>(
    "SELECT hash, user, groups, expires_ms, read_only, frame_origins FROM tokens WHERE expires_ms > ? ORDER BY expires_ms, hash",
    nowMs,
  );
  return [...rows].map(
    ({ hash, user, groups, expires_ms: expiresAtMs, read_only: readOnly, frame_origins: origins }) => ({
      id: idOf(hash),
      user,
      // storeToken wrote lists of strings.
      groups: JSON.parse(groups) as string[],
      expiresAtMs: expiresAtMs ?? undefined,
      readOnly: readOnly === 1,
      frameOrigins: JSON.parse(origins) as string[],
    }),
  );
}

/** False where there is none of that id; the administrator's stays. */
export function removeToken(sql: Sql, id: string): boolean {
  const row = first<{ hash: string }>(
    sql,
    "SELECT hash FROM tokens WHERE substr(hash, 1, ?) = ? AND expires_ms IS NOT NULL",
    tokenIdLength,
    id,
  );
  if (!row) return false;
  shown.delete(sql);
  sql.run("DELETE FROM tokens WHERE hash = ?", row.hash);
  return true;
}

/** Stores the administrator's token in place of others. Returns the ids of the tokens that end. */
export function renewTokens(sql: Sql, { adminTokenHash, revoke }: RenewedTokens): string[] {
  const all = [...sql.all<Pick<TokenRow, "hash" | "expires_ms">>("SELECT hash, expires_ms FROM tokens")];
  const isRevoked = ({ hash, expires_ms: expiresMs }: Pick<TokenRow, "hash" | "expires_ms">) =>
    hash !== adminTokenHash && revoke !== "none" && (revoke === "all" || expiresMs === null || revoke.includes(hash));
  const revoked = all.filter(isRevoked).map(({ hash }) => hash);
  for (const hash of revoked) sql.run("DELETE FROM tokens WHERE hash = ?", hash);
  storeToken(sql, adminToken(adminTokenHash));
  return revoked.map(idOf);
}

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

function idOf(hash: string): string {
  return hash.slice(0, tokenIdLength);
}

function lookUp(sql: Sql, token: string): Known | undefined {
  const hash = createHash("sha256").update(token).digest("hex");
  const row = first<Omit<TokenRow, "hash" | "frame_origins">>(
    sql,
    "SELECT user, groups, expires_ms, read_only FROM tokens WHERE hash = ?",
    hash,
  );
  if (!row) return undefined;
  const readOnly = row.read_only === 1;
  // storeToken wrote a list of strings.
  const groups = JSON.parse(row.groups) as string[];
  const user = withEveryone({ name: row.user, groups: readOnly ? [...new Set([...groups, viewersGroup])] : groups });
  const credential = { id: idOf(hash), endsMs: row.expires_ms ?? undefined };
  const known = { identity: { user, readOnly, credential }, expiresMs: row.expires_ms };
  const tokens = shown.get(sql) ?? new BoundedCache<string, Known>(keptTokens);
  tokens.set(token, known);
  shown.set(sql, tokens);
  return known;
}

/** Replaces the administrator's token and refuses the certificates issued before; returns the ids of the credentials that end. */
export function renewCredentials(sql: Sql, renewed: RenewedTokens, nowMs: number): string[] {
  const ended = renewTokens(sql, renewed);
  if (renewed.revoke === "none") return ended;
  refuseCertificates(sql, nowMs);
  return [...ended, certificateCredential];
}
