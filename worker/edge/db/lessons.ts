// What the edge asks of D1 about lessons. Every question of a client names the tenant: none can see another's.
import { and, count, desc, eq, max, sum } from "drizzle-orm";
import { type Noted, withNote } from "./audit.ts";
import { lessonClasses } from "./class-tables.ts";
import type { Database } from "./database.ts";
import { type RunDirectory, runDirectory } from "./lesson-runs.ts";
import { type LessonRow, lessonRuns, lessons } from "./lesson-tables.ts";

export type LessonFacts = Omit<LessonRow, "document">;

export interface LessonDirectory extends RunDirectory {
  /** False where that version is there already. */
  add(row: LessonRow): Promise<boolean>;
  /** The newest version, or the one that is named. */
  find(tenantId: string, name: string, version?: number): Promise<LessonRow | undefined>;
  /** The newest version of each, by name. */
  list(tenantId: string): Promise<LessonFacts[]>;
  /** Versions that a tenant has, and their characters together. */
  held(tenantId: string): Promise<{ readonly versions: number; readonly characters: number }>;
  /** With all its versions, runs and classes. False where there is none. */
  remove(tenantId: string, name: string): Promise<boolean>;
}

const facts = {
  tenantId: lessons.tenantId,
  name: lessons.name,
  version: lessons.version,
  title: lessons.title,
  steps: lessons.steps,
  points: lessons.points,
  characters: lessons.characters,
  createdAtMs: lessons.createdAtMs,
};

export function lessonDirectory(db: Database, noted?: Noted): LessonDirectory {
  return { ...lessonsOf(db, noted), ...runDirectory(db, noted) };
}

function lessonsOf(db: Database, noted: Noted | undefined): Omit<LessonDirectory, keyof RunDirectory> {
  const named = (tenantId: string, name: string) => and(eq(lessons.tenantId, tenantId), eq(lessons.name, name));
  return {
    add: async (row) => {
      const insert = db.insert(lessons).values(row).onConflictDoNothing().returning({ name: lessons.name });
      const added = await withNote(db, noted, { target: row.name }, insert);
      return added.length === 1;
    },
    find: async (tenantId, name, version) => {
      const wanted = and(named(tenantId, name), version === undefined ? undefined : eq(lessons.version, version));
      const [row] = await db.select().from(lessons).where(wanted).orderBy(desc(lessons.version)).limit(1);
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
        .select(facts)
        .from(lessons)
        .innerJoin(newest, and(eq(lessons.name, newest.name), eq(lessons.version, newest.version)))
        .where(eq(lessons.tenantId, tenantId))
        .orderBy(lessons.name);
    },
    held: async (tenantId) => {
      const [row] = await db
        .select({ versions: count(), characters: sum(lessons.characters) })
        .from(lessons)
        .where(eq(lessons.tenantId, tenantId));
      return { versions: row?.versions ?? 0, characters: Number(row?.characters ?? 0) };
    },
    remove: async (tenantId, name) => {
      const runs = db.delete(lessonRuns).where(and(eq(lessonRuns.tenantId, tenantId), eq(lessonRuns.lesson, name)));
      const ofLesson = and(eq(lessonClasses.tenantId, tenantId), eq(lessonClasses.lesson, name));
      const classes = db.delete(lessonClasses).where(ofLesson);
      const versions = db.delete(lessons).where(named(tenantId, name)).returning({ name: lessons.name });
      const rows = await withNote(db, noted, { target: name }, versions, [runs, classes]);
      return rows.length > 0;
    },
  };
}
