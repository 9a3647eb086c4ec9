// Queries of templates. Every query of a client is limited to the tenant.
import { and, asc, desc, eq, inArray, lt, max, ne } from "drizzle-orm";
import { templateParts } from "../../../shared/contract/template.ts";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { type Database, statement } from "./database.ts";
import { type TemplateRow, templates } from "./plan-schema.ts";

export type TemplateFacts = Pick<TemplateRow, "nodes" | "objects" | "bytes">;
type Named = Pick<TemplateRow, "tenantId" | "id">;
type Versioned = Pick<TemplateRow, "name" | "version">;

export interface TemplateDirectory {
  /** Adds the next version, which is hidden until `markReady`. Returns its number. */
  add(row: Omit<TemplateRow, "version" | "state" | keyof TemplateFacts>): Promise<number>;
  /** Counts a tenant's versions, including those that are being created, and all rows, including those that reserve a number. */
  count(tenantId: string): Promise<{ readonly versions: number; readonly rows: number }>;
  markReady(row: Named & Versioned, facts: TemplateFacts): Promise<boolean>;
  /** Finds a ready version; undefined `version` for the newest. */
  find(tenantId: string, name: string, version?: number): Promise<TemplateRow | undefined>;
  /** Lists all versions of a name, or the newest version of each name. */
  list(tenantId: string, name?: string): Promise<TemplateRow[]>;
  /** Hides the version. Its number is never used again. `ref` is the reference of a ready version for the audit log. */
  remove(row: Named, ref?: string): Promise<void>;
  /** Lists the files of a tenant's versions, the newest first. */
  files(tenantId: string, limit: number): Promise<Named[]>;
  /** Lists versions whose creation started before a time. */
  leftovers(madeBeforeMs: number, limit: number): Promise<TemplateRow[]>;
  /** Releases the numbers of deleted versions that were created before a time. Their sandboxes have expired. */
  forgetNumbers(madeBeforeMs: number): Promise<void>;
  /** Returns those of the ids that exist. */
  existingIds(ids: readonly string[]): Promise<string[]>;
}

/** The number of attempts to allocate a version number among concurrent requests. */
const tries = 5;

/** With `audit`, changes are recorded in the audit log. */
export function templateDirectory(db: Database, audit: Audit): TemplateDirectory {
  const byId = ({ tenantId, id }: Named) => and(eq(templates.id, id), eq(templates.tenantId, tenantId));
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
    await writeUnaudited(db, "hidden", (write) =>
      write.delete(templates).where(and(named, eq(templates.state, "deleted"), lt(templates.version, version))),
    );
  };
  return {
    add: async (row) => {
      for (let attempt = 1; attempt <= tries; attempt++) {
        const version = (await newestOf(row.tenantId, row.name)) + 1;
        const added = await writeUnaudited(db, "hidden", (write) =>
          write
            .insert(templates)
            .values({ ...row, version, nodes: 0, objects: 0, bytes: 0, state: "making" })
            .onConflictDoNothing()
            .returning({ id: templates.id }),
        );
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
      const isMaking = and(byId(row), eq(templates.state, "making"));
      const ready = { ...facts, state: "ready" } as const;
      const updateState = statement(db, (write) =>
        write.update(templates).set(ready).where(isMaking).returning({ id: templates.id }),
      );
      return (await writeAudited(db, audit, { target: `${row.name}@${row.version}` }, updateState)).length === 1;
    },
    ...reading(db),
    remove: async (row, ref) => {
      const [existingRow] = await db.select().from(templates).where(byId(row));
      if (!existingRow) return;
      const { tenantId, name, version } = existingRow;
      // The newest row stays to reserve its number until there is a higher one.
      const emptied = { state: "deleted", content: templateParts.parse({}), description: "", bytes: 0 } as const;
      const isNewest = version >= (await newestOf(tenantId, name));
      const auditedChange = { target: ref ?? "" };
      const by = ref === undefined ? undefined : audit;
      const change = isNewest
        ? statement(db, (write) => write.update(templates).set(emptied).where(byId(row)))
        : statement(db, (write) => write.delete(templates).where(byId(row)));
      await writeAudited(db, by, auditedChange, change);
    },
    ...sweeping(db),
  };
}

/** Queries of ready versions. */
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

/** Queries of the sweep. */
function sweeping(db: Database): Pick<TemplateDirectory, "leftovers" | "existingIds" | "forgetNumbers" | "files"> {
  return {
    files: (tenantId, limit) =>
      db
        .select({ tenantId: templates.tenantId, id: templates.id })
        .from(templates)
        .where(and(eq(templates.tenantId, tenantId), ne(templates.state, "deleted")))
        .orderBy(desc(templates.createdAtMs))
        .limit(limit),
    forgetNumbers: async (madeBeforeMs) => {
      await writeUnaudited(db, "scheduled", (write) =>
        write.delete(templates).where(and(eq(templates.state, "deleted"), lt(templates.createdAtMs, madeBeforeMs))),
      );
    },
    leftovers: (madeBeforeMs, limit) =>
      db
        .select()
        .from(templates)
        .where(and(eq(templates.state, "making"), lt(templates.createdAtMs, madeBeforeMs)))
        .limit(limit),
    existingIds: async (ids) => {
      const among = and(inArray(templates.id, [...ids]), ne(templates.state, "deleted"));
      return (await db.select({ id: templates.id }).from(templates).where(among)).map(({ id }) => id);
    },
  };
}
