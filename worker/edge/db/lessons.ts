// What the edge asks of D1 about lessons and their runs. Every question of a client names the tenant: none can see another's.
import { and, count, desc, eq, inArray, lt, max, ne, or, sum } from "drizzle-orm";
import { type Noted, withNote } from "./audit.ts";
import type { Database } from "./database.ts";
import type { PageAfter } from "./directory.ts";
import { type LessonRow, type LessonRunRow, lessonRuns, lessons } from "./lesson-tables.ts";

export type LessonFacts = Omit<LessonRow, "document">;

export interface RunQuery {
  readonly tenantId: string;
  readonly lesson: string;
  readonly limit: number;
  readonly after?: PageAfter | undefined;
}

export interface LessonDirectory {
  /** False where that version is there already. */
  add(row: LessonRow): Promise<boolean>;
  /** The newest version, or the one that is named. */
  find(tenantId: string, name: string, version?: number): Promise<LessonRow | undefined>;
  /** The newest version of each, by name. */
  list(tenantId: string): Promise<LessonFacts[]>;
  /** Versions that a tenant has, and their characters together. */
  held(tenantId: string): Promise<{ readonly versions: number; readonly characters: number }>;
  /** With all its versions and runs. False where there is none. */
  remove(tenantId: string, name: string): Promise<boolean>;
  addRun(row: LessonRunRow): Promise<void>;
  /** Those of learners, or those of visitors of others' pages. */
  countRuns(tenantId: string, of: "learners" | "visitors"): Promise<number>;
  /** Those of a tenant's visitors that have ended. */
  forgetVisits(tenantId: string, endedBeforeMs: number): Promise<void>;
  findRun(tenantId: string, lesson: string, id: string): Promise<LessonRunRow | undefined>;
  /** The run that a sandbox was made for. */
  findRunOf(tenantId: string, sandboxId: string): Promise<LessonRunRow | undefined>;
  /** Newest first. */
  listRuns(query: RunQuery): Promise<LessonRunRow[]>;
  /** False where it was changed meanwhile, or is gone. */
  changeRun(row: Pick<LessonRunRow, "tenantId" | "id" | "change">, to: Partial<LessonRunRow>): Promise<boolean>;
  /** Runs that began before a moment; as many as one call may. Returns how many they were. */
  forgetRuns(beforeMs: number, limit: number): Promise<number>;
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
  return { ...lessonsOf(db, noted), ...runsOf(db) };
}

function lessonsOf(
  db: Database,
  noted: Noted | undefined,
): Pick<LessonDirectory, "add" | "find" | "list" | "held" | "remove"> {
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
      const versions = db.delete(lessons).where(named(tenantId, name)).returning({ name: lessons.name });
      const rows = await withNote(db, noted, { target: name }, versions, [runs]);
      return rows.length > 0;
    },
  };
}

function runsOf(db: Database): Omit<LessonDirectory, "add" | "find" | "list" | "held" | "remove"> {
  return {
    addRun: async (row) => {
      await db.insert(lessonRuns).values(row);
    },
    countRuns: (tenantId, of) => {
      const key = lessonRuns.publishableKey;
      return db.$count(
        lessonRuns,
        and(eq(lessonRuns.tenantId, tenantId), of === "learners" ? eq(key, "") : ne(key, "")),
      );
    },
    forgetVisits: async (tenantId, endedBeforeMs) => {
      const ended = and(ne(lessonRuns.publishableKey, ""), lt(lessonRuns.expiresAtMs, endedBeforeMs));
      await db.delete(lessonRuns).where(and(eq(lessonRuns.tenantId, tenantId), ended));
    },
    findRun: async (tenantId, lesson, id) => {
      const wanted = and(eq(lessonRuns.id, id), eq(lessonRuns.tenantId, tenantId), eq(lessonRuns.lesson, lesson));
      const [row] = await db.select().from(lessonRuns).where(wanted);
      return row;
    },
    findRunOf: async (tenantId, sandboxId) => {
      const wanted = and(eq(lessonRuns.sandboxId, sandboxId), eq(lessonRuns.tenantId, tenantId));
      const [row] = await db.select().from(lessonRuns).where(wanted);
      return row;
    },
    listRuns: ({ tenantId, lesson, limit, after }) =>
      db
        .select()
        .from(lessonRuns)
        .where(and(eq(lessonRuns.tenantId, tenantId), eq(lessonRuns.lesson, lesson), after && olderThan(after)))
        .orderBy(desc(lessonRuns.createdAtMs), desc(lessonRuns.id))
        .limit(limit),
    changeRun: async ({ tenantId, id, change }, to) => {
      const same = and(eq(lessonRuns.id, id), eq(lessonRuns.tenantId, tenantId), eq(lessonRuns.change, change));
      const next = { ...to, change: change + 1 };
      const rows = await db.update(lessonRuns).set(next).where(same).returning({ id: lessonRuns.id });
      return rows.length === 1;
    },
    forgetRuns: async (beforeMs, limit) => {
      const old = db
        .select({ id: lessonRuns.id })
        .from(lessonRuns)
        .where(lt(lessonRuns.createdAtMs, beforeMs))
        .limit(limit);
      const rows = await db.delete(lessonRuns).where(inArray(lessonRuns.id, old)).returning({ id: lessonRuns.id });
      return rows.length;
    },
  };
}

function olderThan({ createdAtMs, id }: PageAfter) {
  const { createdAtMs: atMs, id: own } = lessonRuns;
  return or(lt(atMs, createdAtMs), and(eq(atMs, createdAtMs), lt(own, id)));
}
