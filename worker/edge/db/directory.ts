// Queries of sandboxes. Every query is limited to the tenant.
import { and, asc, desc, eq, exists, gt, inArray, isNotNull, lt, or, sql } from "drizzle-orm";
import { limits } from "../../../shared/base/limits.ts";
import type { LabelChanges, SandboxField } from "../../../shared/contract/sandbox-fields.ts";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { type Database, statement } from "./database.ts";
import { type LeasedKey, hasLease, storeCreatedResource } from "./idempotency.ts";
import { type SandboxRow, sandboxes, unfinished } from "./schema.ts";

export interface PageAfter {
  readonly createdAtMs: number;
  readonly id: string;
}

/** The conditions of a list. */
export interface SandboxFilter {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** True to list the oldest first. */
  readonly isOldestFirst?: boolean | undefined;
  /** Labels to match; an undefined value matches any. */
  readonly labels?: readonly (readonly [key: string, value: string | undefined])[] | undefined;
}

/** The columns that depend on the secret from which the tokens are derived. */
export type SecretColumns = Pick<SandboxRow, "secretId" | "anonymousAccess">;

/** A row without the columns that have a default. */
export type NewSandboxRow = Omit<SandboxRow, "state" | "tokenVersion" | DefaultColumn> &
  Partial<Pick<SandboxRow, DefaultColumn>>;
type DefaultColumn = keyof SecretColumns | "version";

export interface Directory {
  /** Adds a sandbox that is being created. It is hidden until `markReady`. */
  add(row: NewSandboxRow): Promise<void>;
  /**
   * Marks the sandbox as ready and, with `held`, stores it with the idempotency key in one batch. Returns false if the sandbox is gone or
   * being deleted, or if another request took over the key.
   */
  markReady(tenantId: string, id: string, lease?: LeasedKey): Promise<boolean>;
  /** Hides the sandbox until it is deleted. */
  markDeleting(tenantId: string, id: string): Promise<void>;
  /** Finds a sandbox in any state, also an expired one until it is forgotten. */
  find(tenantId: string, id: string): Promise<SandboxRow | undefined>;
  /** Lists ready sandboxes that have not expired, the newest first unless the filter says otherwise. */
  list(
    tenantId: string,
    nowMs: number,
    limit: number,
    after?: PageAfter,
    filter?: SandboxFilter,
  ): Promise<SandboxRow[]>;
  /** Returns false if the sandbox is gone or being deleted, or if the merged labels would exceed the limit. */
  change(
    tenantId: string,
    id: string,
    to: Partial<Pick<SandboxRow, Exclude<SandboxField, "labels"> | "expiresAtMs" | "nodes" | "version">> & {
      readonly labels?: LabelChanges;
    },
  ): Promise<boolean>;
  /** Increments the version of the token, which is derived from this secret. Returns undefined if the sandbox is gone or being deleted. */
  renewToken(tenantId: string, id: string, facts: SecretColumns): Promise<SandboxRow | undefined>;
  remove(tenantId: string, id: string): Promise<void>;
  /** Lists sandboxes that are being deleted, and those whose creation started before a time: of one tenant or of all. */
  leftovers(madeBeforeMs: number, limit: number, tenantId?: string): Promise<SandboxRow[]>;
  /** Returns the tenant of a ready sandbox. */
  tenantOf(id: string): Promise<string | undefined>;
  /** Returns those of the ids that exist. D1 accepts 100 at once. */
  existingIds(ids: readonly string[]): Promise<string[]>;
  /** Lists sandboxes that expired before a time. */
  expired(beforeMs: number, limit: number): Promise<SandboxRow[]>;
}

/** With `audit`, changes are recorded in the audit log. */
export function directory(db: Database, audit: Audit): Directory {
  const byId = (tenantId: string, id: string) => and(eq(sandboxes.id, id), eq(sandboxes.tenantId, tenantId));
  return {
    add: async (row) => {
      await writeUnaudited(db, "hidden", (write) => write.insert(sandboxes).values({ ...row, state: "making" }));
    },
    markReady: async (tenantId, id, lease) => {
      const isLeased = lease && hasLease(db, lease);
      const isMaking = and(byId(tenantId, id), eq(sandboxes.state, "making"), isLeased);
      const updateState = statement(db, (write) =>
        write.update(sandboxes).set({ state: "ready" }).where(isMaking).returning({ id: sandboxes.id }),
      );
      const isThere = and(byId(tenantId, id), eq(sandboxes.state, "ready"));
      const isReady = exists(db.select({ id: sandboxes.id }).from(sandboxes).where(isThere));
      const then = lease ? [storeCreatedResource(db, lease, id, isReady)] : [];
      return (await writeAudited(db, audit, { target: id }, updateState, then)).length === 1;
    },
    markDeleting: async (tenantId, id) => {
      await writeAudited(
        db,
        audit,
        { target: id },
        statement(db, (write) => write.update(sandboxes).set({ state: "deleting" }).where(byId(tenantId, id))),
      );
    },
    find: async (tenantId, id) => {
      const [row] = await db.select().from(sandboxes).where(byId(tenantId, id));
      return row;
    },
    change: async (tenantId, id, { labels, ...to }) => {
      // Merge in the statement, so that concurrent changes are all applied.
      const merged = labels && sql`json_patch(labels, ${JSON.stringify(labels)})`;
      const isWithin = merged && sql`(SELECT count(*) FROM json_each(${merged})) <= ${limits.labels}`;
      const isReady = and(byId(tenantId, id), eq(sandboxes.state, "ready"), isWithin);
      const changes = { ...to, ...(merged ? { labels: merged } : {}) };
      const updateRow = statement(db, (write) =>
        write.update(sandboxes).set(changes).where(isReady).returning({ id: sandboxes.id }),
      );
      return (await writeAudited(db, audit, { target: id }, updateRow)).length === 1;
    },
    list: (tenantId, nowMs, limit, after, { id, name, labels = [], isOldestFirst = false } = {}) =>
      db
        .select()
        .from(sandboxes)
        .where(
          and(
            eq(sandboxes.tenantId, tenantId),
            eq(sandboxes.state, "ready"),
            gt(sandboxes.expiresAtMs, nowMs),
            after && (isOldestFirst ? newerThan(after) : olderThan(after)),
            id === undefined ? undefined : eq(sandboxes.id, id),
            name === undefined ? undefined : eq(sandboxes.name, name),
            ...labels.map(([key, value]) => hasLabel(key, value)),
          ),
        )
        .orderBy(...[sandboxes.createdAtMs, sandboxes.id].map(isOldestFirst ? asc : desc))
        .limit(limit),
    renewToken: async (tenantId, id, facts) => {
      const isReady = and(byId(tenantId, id), eq(sandboxes.state, "ready"));
      const to = { tokenVersion: sql`token_version + 1`, ...facts };
      return (
        await writeUnaudited(db, "entered", (write) => write.update(sandboxes).set(to).where(isReady).returning())
      )[0];
    },
    remove: async (tenantId, id) => {
      await writeUnaudited(db, "hidden", (write) => write.delete(sandboxes).where(byId(tenantId, id)));
    },
    ...sweeping(db),
  };
}

/** Queries of the sweep. */
function sweeping(db: Database): Pick<Directory, "leftovers" | "tenantOf" | "existingIds" | "expired"> {
  return {
    tenantOf: async (id) => {
      const isReady = and(eq(sandboxes.id, id), eq(sandboxes.state, "ready"));
      return (await db.select({ tenantId: sandboxes.tenantId }).from(sandboxes).where(isReady))[0]?.tenantId;
    },
    leftovers: (madeBeforeMs, limit, tenantId) =>
      db
        .select()
        .from(sandboxes)
        .where(
          and(
            unfinished,
            or(eq(sandboxes.state, "deleting"), lt(sandboxes.createdAtMs, madeBeforeMs)),
            tenantId === undefined ? undefined : eq(sandboxes.tenantId, tenantId),
          ),
        )
        .orderBy(sandboxes.createdAtMs)
        .limit(limit),
    existingIds: async (ids) => {
      const among = inArray(sandboxes.id, [...ids]);
      return (await db.select({ id: sandboxes.id }).from(sandboxes).where(among)).map(({ id }) => id);
    },
    expired: (beforeMs, limit) =>
      db
        .select()
        .from(sandboxes)
        .where(lt(sandboxes.expiresAtMs, beforeMs))
        .orderBy(sandboxes.expiresAtMs)
        .limit(limit),
  };
}

/** Keys contain no quotes. */
function hasLabel(key: string, value: string | undefined) {
  const labelValue = sql`json_extract(${sandboxes.labels}, ${`$."${key}"`})`;
  return value === undefined ? isNotNull(labelValue) : eq(labelValue, value);
}

function newerThan({ createdAtMs, id }: PageAfter) {
  return or(gt(sandboxes.createdAtMs, createdAtMs), and(eq(sandboxes.createdAtMs, createdAtMs), gt(sandboxes.id, id)));
}

function olderThan({ createdAtMs, id }: PageAfter) {
  return or(lt(sandboxes.createdAtMs, createdAtMs), and(eq(sandboxes.createdAtMs, createdAtMs), lt(sandboxes.id, id)));
}
