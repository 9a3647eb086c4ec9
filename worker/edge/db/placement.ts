// Assigns each tenant to one of several databases, also while a database is added and tenants move to it one by one.
import { inArray } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";

/**
 * The state of moves, in the first database while one is added. `npm run grow` creates and drops the table, so no migration has it.
 * No row: the tenant has not moved. `frozen`: it is still in the old database and is not written. `moved`, `done`: it is in the new
 * database. A row `*` with `closed` freezes all tenants without a row.
 */
const tenantMoves = sqliteTable("tenant_moves", {
  tenantId: text("tenant_id").primaryKey(),
  state: text("state").notNull(),
});

/** The key of the row for all tenants without one. */
const allOthers = "*";

/** The addition of a database. */
export interface Growth {
  /** The number of databases before. */
  readonly before: number;
  /** Reads the state each time, because a write by a cached state could go to the wrong database. */
  stateOf(tenantId: string): Promise<MoveState>;
}

export type MoveState = "waits" | "frozen" | "moved";

export function growthOf(home: Database, before: number): Growth {
  return {
    before,
    stateOf: async (tenantId) => {
      const rows = await home
        .select()
        .from(tenantMoves)
        .where(inArray(tenantMoves.tenantId, [tenantId, allOthers]));
      const tenantRow = rows.find((row) => row.tenantId === tenantId);
      if (tenantRow) return tenantRow.state === "frozen" ? "frozen" : "moved";
      return rows.length > 0 ? "frozen" : "waits";
    },
  };
}

/** The tenant cannot be written while it moves; clients retry. */
export class TenantMoving extends Error {
  override name = "TenantMoving";
}

export interface Place {
  /** The index of the database. */
  readonly at: number;
  readonly isFrozen: boolean;
}

export async function placeOf(tenantId: string, count: number, growth: Growth | undefined): Promise<Place> {
  const at = shardOf(tenantId, count);
  const before = growth ? shardOf(tenantId, growth.before) : at;
  if (!growth || before === at) return { at, isFrozen: false };
  const state = await growth.stateOf(tenantId);
  return state === "moved" ? { at, isFrozen: false } : { at: before, isFrozen: state === "frozen" };
}

/**
 * Returns the database of a tenant by rendezvous hashing: an additional database takes over an equal share of the tenants, and no other
 * tenant moves.
 */
export function shardOf(tenantId: string, count: number): number {
  const weights = Array.from({ length: count }, (_, at) => hash(`${at}:${tenantId}`));
  return weights.indexOf(weights.reduce((a, b) => Math.max(a, b), 0));
}

/** FNV-1a with a final mix, so that texts that differ in one character get unrelated hashes. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
