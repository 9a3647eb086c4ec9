// What the edge asks of D1 about templates. Every question of a client names the tenant: none can see another's.
import { and, asc, desc, eq, inArray, lt, max, ne } from "drizzle-orm";
import { templateParts } from "../../../shared/contract/template.ts";
import { type Noted, withNote } from "./audit.ts";
import type { Database } from "./database.ts";
import { type TemplateRow, templates } from "./plan-schema.ts";

export type TemplateFacts = Pick<TemplateRow, "nodes" | "objects" | "bytes">;
type Named = Pick<TemplateRow, "tenantId" | "id">;
type Versioned = Pick<TemplateRow, "name" | "version">;

export interface TemplateDirectory {
  /** Adds the next version, which is being made: nobody is shown it before `markReady`. Returns its number. */
  add(row: Omit<TemplateRow, "version" | "state" | keyof TemplateFacts>): Promise<number>;
  /** How many versions a tenant has, those that are being made among them; and how many rows with those that are kept for their numbers. */
  count(tenantId: string): Promise<{ readonly versions: number; readonly rows: number }>;
  markReady(row: Named & Versioned, facts: TemplateFacts): Promise<boolean>;
  /** Undefined `version`: the newest. Only what is ready. */
  find(tenantId: string, name: string, version?: number): Promise<TemplateRow | undefined>;
  /** All versions of one, or the newest of each, by their names. */
  list(tenantId: string, name?: string): Promise<TemplateRow[]>;
  /** Nobody is shown it any more; its number is never another's. `ref`: of one that was ready, as the audit log calls it. */
  remove(row: Named, ref?: string): Promise<void>;
  /** Which files a tenant's versions have, the newest first. */
  files(tenantId: string, limit: number): Promise<Named[]>;
  /** Those that are being made since before a moment. */
  leftovers(madeBeforeMs: number, limit: number): Promise<TemplateRow[]>;
  /** Numbers of versions that were made before a moment and are deleted: no sandbox of them can be there any more. */
  forgetNumbers(madeBeforeMs: number): Promise<void>;
  /** Which of these ids there are. */
  known(ids: readonly string[]): Promise<string[]>;
}

/** Tries for a number, where others of the same name are made at once. */
const tries = 5;

/** `noted`: as of `directory`. */
export function templateDirectory(db: Database, noted?: Noted): TemplateDirectory {
  const one = ({ tenantId, id }: Named) => and(eq(templates.id, id), eq(templates.tenantId, tenantId));
  const newestOf = async (tenantId: string, name: string) => {
    const named = and(eq(templates.tenantId, tenantId), eq(templates.name, name));
    const [row] = await db
      .select({ version: max(templates.version) })
      .from(templates)
      .where(named);
    return row?.version ?? 0;
  };
  const forgetNumbersBelow = async ({ tenantId, name }: Pick<TemplateRow, "tenantId" | "name">, version: number) => {
    const named = and(eq(templates.tenantId, tenantId), eq(templates.name, name));
    await db.delete(templates).where(and(named, eq(templates.state, "deleted"), lt(templates.version, version)));
  };
  return {
    add: async (row) => {
      for (let attempt = 1; attempt <= tries; attempt++) {
        const version = (await newestOf(row.tenantId, row.name)) + 1;
        const added = await db
          .insert(templates)
          .values({ ...row, version, nodes: 0, objects: 0, bytes: 0, state: "making" })
          .onConflictDoNothing()
          .returning({ id: templates.id });
        if (added.length > 0) {
          await forgetNumbersBelow(row, version);
          return version;
        }
      }
      throw new Error("others of the same name were made at once, again and again");
    },
    count: async (tenantId) => {
      const ofTenant = eq(templates.tenantId, tenantId);
      const versions = await db.$count(templates, and(ofTenant, ne(templates.state, "deleted")));
      return { versions, rows: await db.$count(templates, ofTenant) };
    },
    markReady: async (row, facts) => {
      const isMaking = and(one(row), eq(templates.state, "making"));
      const ready = { ...facts, state: "ready" } as const;
      const deed = db.update(templates).set(ready).where(isMaking).returning({ id: templates.id });
      return (await withNote(db, noted, { target: `${row.name}@${row.version}` }, deed)).length === 1;
    },
    ...reading(db),
    remove: async (row, ref) => {
      const [found] = await db.select().from(templates).where(one(row));
      if (!found) return;
      const { tenantId, name, version } = found;
      // The newest stays for its number, until there is a higher one.
      const emptied = { state: "deleted", parts: templateParts.parse({}), description: "", bytes: 0 } as const;
      const isNewest = version >= (await newestOf(tenantId, name));
      const told = { target: ref ?? "" };
      const by = ref === undefined ? undefined : noted;
      if (isNewest) await withNote(db, by, told, db.update(templates).set(emptied).where(one(row)));
      else await withNote(db, by, told, db.delete(templates).where(one(row)));
    },
    ...sweeping(db),
  };
}

/** Only what is ready. */
function reading(db: Database): Pick<TemplateDirectory, "find" | "list"> {
  const isReady = eq(templates.state, "ready");
  return {
    find: async (tenantId, name, version) => {
      const named = and(eq(templates.tenantId, tenantId), eq(templates.name, name), isReady);
      const [row] = await db
        .select()
        .from(templates)
        .where(version === undefined ? named : and(named, eq(templates.version, version)))
        .orderBy(desc(templates.version))
        .limit(1);
      return row;
    },
    list: async (tenantId, name) => {
      const ofTenant = and(eq(templates.tenantId, tenantId), isReady);
      const rows = await db
        .select()
        .from(templates)
        .where(name === undefined ? ofTenant : and(ofTenant, eq(templates.name, name)))
        .orderBy(asc(templates.name), desc(templates.version));
      return name === undefined ? rows.filter((row, at) => rows[at - 1]?.name !== row.name) : rows;
    },
  };
}

/** What whoever finishes others' work asks. */
function sweeping(db: Database): Pick<TemplateDirectory, "leftovers" | "known" | "forgetNumbers" | "files"> {
  return {
    files: (tenantId, limit) =>
      db
        .select({ tenantId: templates.tenantId, id: templates.id })
        .from(templates)
        .where(and(eq(templates.tenantId, tenantId), ne(templates.state, "deleted")))
        .orderBy(desc(templates.createdAtMs))
        .limit(limit),
    forgetNumbers: async (madeBeforeMs) => {
      await db.delete(templates).where(and(eq(templates.state, "deleted"), lt(templates.createdAtMs, madeBeforeMs)));
    },
    leftovers: (madeBeforeMs, limit) =>
      db
        .select()
        .from(templates)
        .where(and(eq(templates.state, "making"), lt(templates.createdAtMs, madeBeforeMs)))
        .limit(limit),
    known: async (ids) => {
      const among = and(inArray(templates.id, [...ids]), ne(templates.state, "deleted"));
      return (await db.select({ id: templates.id }).from(templates).where(among)).map(({ id }) => id);
    },
  };
}
