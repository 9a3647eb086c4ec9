// Queries of lessons. Every query of a client is limited to the tenant.
import { and, count, desc, eq, max, sum } from "drizzle-orm";
import { type Audit, writeAudited } from "./audit.ts";
import { lessonClasses } from "./learn/class-tables.ts";
import { type Database, statement } from "./database.ts";
import { type RunDirectory, runDirectory } from "./lesson-runs.ts";
import { type LessonRow, lessonRuns, lessons } from "./lesson-tables.ts";

export type LessonFacts = Omit<LessonRow, "document">;

export interface LessonDirectory extends RunDirectory {
  /** Returns false if the version exists already. */
  add(row: LessonRow): Promise<boolean>;
  /** Finds the newest version, or the given one. */
  find(tenantId: string, name: string, version?: number): Promise<LessonRow | undefined>;
  /** Lists the newest version of each lesson, by name. */
  list(tenantId: string): Promise<LessonFacts[]>;
  /** Lists the versions of a lesson, the newest first. */
  versions(tenantId: string, name: string): Promise<LessonFacts[]>;
  /** Returns the number of a tenant's versions, and the sum of their characters. */
  storedSize(tenantId: string): Promise<{ readonly versions: number; readonly characters: number }>;
  /** Deletes a lesson with all versions, runs and classes. Returns false if it does not exist. */
  remove(tenantId: string, name: string): Promise<boolean>;
}

const factColumns = {
  tenantId: lessons.tenantId,
  name: lessons.name,
  version: lessons.version,
  title: lessons.title,
  steps: lessons.steps,
  points: lessons.points,
  characters: lessons.characters,
  createdAtMs: lessons.createdAtMs,
};

export function lessonDirectory(db: Database, audit: Audit): LessonDirectory {
  return { ...lessonQueries(db, audit), ...runDirectory(db, audit) };
}

function lessonQueries(db: Database, audit: Audit): Omit<LessonDirectory, keyof RunDirectory> {
  const hasName = (tenantId: string, name: string) => and(eq(lessons.tenantId, tenantId), eq(lessons.name, name));
  return {
    add: async (row) => {
      const insert = statement(db, (write) =>
        write.insert(lessons).values(row).onConflictDoNothing().returning({ name: lessons.name }),
      );
      const added = await writeAudited(db, audit, { target: row.name }, insert);
      return added.length === 1;
    },
    find: async (tenantId, name, version) => {
      const condition = and(hasName(tenantId, name), version === undefined ? undefined : eq(lessons.version, version));
      const [row] = await db.select().from(lessons).where(condition).orderBy(desc(lessons.version)).limit(1);
      return row;
    },
    list: async (tenantId) => {
      const newest = db
        .select({ name: lessons.name, version: max(lessons.version).as("newest") })
        .from(lessons)
        .where(eq(lessons.tenantId, tenantId))
        .groupBy(lessons.name)
        .as("newest_versions");
      return db
        .select(factColumns)
        .from(lessons)
        .innerJoin(newest, and(eq(lessons.name, newest.name), eq(lessons.version, newest.version)))
        .where(eq(lessons.tenantId, tenantId))
        .orderBy(lessons.name);
    },
    versions: (tenantId, name) =>
      db.select(factColumns).from(lessons).where(hasName(tenantId, name)).orderBy(desc(lessons.version)),
    storedSize: async (tenantId) => {
      const [row] = await db
        .select({ versions: count(), characters: sum(lessons.characters) })
        .from(lessons)
        .where(eq(lessons.tenantId, tenantId));
      return { versions: row?.versions ?? 0, characters: Number(row?.characters ?? 0) };
    },
    remove: async (tenantId, name) => {
      const runs = statement(db, (write) =>
        write.delete(lessonRuns).where(and(eq(lessonRuns.tenantId, tenantId), eq(lessonRuns.lesson, name))),
      );
      const ofLesson = and(eq(lessonClasses.tenantId, tenantId), eq(lessonClasses.lesson, name));
      const classes = statement(db, (write) => write.delete(lessonClasses).where(ofLesson));
      const versions = statement(db, (write) =>
        write.delete(lessons).where(hasName(tenantId, name)).returning({ name: lessons.name }),
      );
      const rows = await writeAudited(db, audit, { target: name }, versions, [runs, classes]);
      return rows.length > 0;
    },
  };
}
