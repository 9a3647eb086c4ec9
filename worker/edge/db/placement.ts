// Which of several databases is a tenant's; also while their number grows by one, and tenants move to the new one, each for itself.
import { inArray } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";

/**
 * In the first database, while their number grows; `npm run grow` makes it and drops it again, so that no migration knows it. No row: the
 * tenant is where it was. `frozen`: it is there still, and nothing of it is written. `moved`, `done`: it is in its new place. `*` of `closed`:
 * tenants without a row are as if they were frozen.
 */
const tenantMoves = sqliteTable("tenant_moves", {
  tenantId: text("tenant_id").primaryKey(),
  state: text("state").notNull(),
});

/** Of all tenants that are not named. */
const allOthers = "*";

/** The number of databases grows. */
export interface Growth {
  /** How many there were. */
  readonly before: number;
  /** Asked each time: what an isolate remembers would be written to the wrong place. */
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
      const own = rows.find((row) => row.tenantId === tenantId);
      if (own) return own.state === "frozen" ? "frozen" : "moved";
      return rows.length > 0 ? "frozen" : "waits";
    },
  };
}

/** Whoever wanted to write something of the tenant is asked to come again. */
export class TenantMoving extends Error {
  override name = "TenantMoving";
}

export interface Place {
  /** The number of the database. */
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
 * The database of a tenant: the one with the highest hash together with it (rendezvous hashing), so that with one database more only one
 * tenant in so many has to be moved.
 */
export function shardOf(tenantId: string, count: number): number {
  const weights = Array.from({ length: count }, (_, at) => hash(`${at}:${tenantId}`));
  return weights.indexOf(weights.reduce((a, b) => Math.max(a, b), 0));
}

/** FNV-1a with a last mixing, so that texts that differ in one character are far apart. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
