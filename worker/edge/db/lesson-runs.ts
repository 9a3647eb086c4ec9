// Queries of lesson runs. Every query of a teacher is limited to the tenant.
import { and, asc, desc, eq, gt, inArray, lt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { lessonClasses } from "./learn/class-tables.ts";
import { type Database, statement } from "./database.ts";
import type { PageAfter } from "./directory.ts";
import { type LessonRunRow, lessonRuns } from "./lesson-tables.ts";

export interface RunQuery {
  readonly tenantId: string;
  readonly lesson: string;
  /** The learner to which the list is limited. */
  readonly learner?: string | undefined;
  /** The class to which the list is limited. */
  readonly classId?: string | undefined;
  readonly limit: number;
  readonly after?: PageAfter | undefined;
}

export interface RunDirectory {
  addRun(row: LessonRunRow): Promise<void>;
  /** Counts the runs of learners, or those of visitors of embedded pages. */
  countRuns(tenantId: string, of: "learners" | "visitors"): Promise<number>;
  /** Deletes the runs of a tenant's visitors that have ended. */
  forgetVisits(tenantId: string, endedBeforeMs: number): Promise<void>;
  findRun(tenantId: string, lesson: string, id: string): Promise<LessonRunRow | undefined>;
  /** Finds the run for which a sandbox was created; while the run lives, by each of its sandboxes. */
  findRunOf(tenantId: string, sandboxId: string, nowMs: number): Promise<LessonRunRow | undefined>;
  /** Finds the runs for which these sandboxes were created, with the titles of their classes. */
  originsOf(tenantId: string, sandboxIds: readonly string[], nowMs: number): Promise<RunOrigin[]>;
  /** Lists the exams that are not graded and whose sandboxes end within a time, the first to end first. */
  ungradedExams(endsAfterMs: number, endsBeforeMs: number, limit: number, tenantId?: string): Promise<LessonRunRow[]>;
  /** Finds the tenant and the lesson of a run. */
  placeOfRun(id: string): Promise<Pick<LessonRunRow, "tenantId" | "lesson"> | undefined>;
  /** Finds the newest live run of a learner, by the name that the teacher's system uses. */
  liveRun(
    place: Pick<LessonRunRow, "tenantId" | "lesson" | "learner">,
    nowMs: number,
  ): Promise<LessonRunRow | undefined>;
  /** Returns false if the run does not exist. */
  removeRun(row: Pick<LessonRunRow, "tenantId" | "id">): Promise<boolean>;
  /** Lists runs, the newest first. */
  listRuns(query: RunQuery): Promise<LessonRunRow[]>;
  /** Returns false if the run was changed concurrently, or is gone. */
  changeRun(row: Pick<LessonRunRow, "tenantId" | "id" | "change">, to: Partial<LessonRunRow>): Promise<boolean>;
  /** Deletes runs that began before a time, up to `limit`. Returns the number of deleted rows. */
  forgetRuns(beforeMs: number, limit: number): Promise<number>;
}

const ofLearners = eq(lessonRuns.publishableKey, "");
const ofVisitors = ne(lessonRuns.publishableKey, "");

export function runDirectory(db: Database, audit: Audit): RunDirectory {
  return { ...readQueries(db), ...sandboxQueries(db), ...writeQueries(db, audit) };
}

/** The lesson, class and learner for whom a sandbox was created. */
export type RunOrigin = Pick<LessonRunRow, "sandboxId" | "lesson" | "learner"> & { readonly class: string };

type Reads = Pick<
  RunDirectory,
  "countRuns" | "findRun" | "findRunOf" | "originsOf" | "ungradedExams" | "placeOfRun" | "liveRun" | "listRuns"
>;

type SandboxReads = Pick<RunDirectory, "findRunOf" | "originsOf" | "ungradedExams">;

function readQueries(db: Database): Omit<Reads, keyof SandboxReads> {
  return {
    countRuns: (tenantId, of) => {
      const isWanted = of === "learners" ? ofLearners : ofVisitors;
      return db.$count(lessonRuns, and(eq(lessonRuns.tenantId, tenantId), isWanted));
    },
    findRun: async (tenantId, lesson, id) => {
      const condition = and(eq(lessonRuns.id, id), eq(lessonRuns.tenantId, tenantId), eq(lessonRuns.lesson, lesson));
      const [row] = await db.select().from(lessonRuns).where(condition);
      return row;
    },
    placeOfRun: async (id) => {
      const { tenantId, lesson } = lessonRuns;
      const [row] = await db.select({ tenantId, lesson }).from(lessonRuns).where(eq(lessonRuns.id, id));
      return row;
    },
    liveRun: async ({ tenantId, lesson, learner }, nowMs) => {
      const ofLearner = and(
        eq(lessonRuns.tenantId, tenantId),
        eq(lessonRuns.lesson, lesson),
        eq(lessonRuns.learner, learner),
        ofLearners,
        // A learner who came by a class link chose the name, so it must not match a learner of the teacher's system.
        eq(lessonRuns.classId, ""),
      );
      const [row] = await db
        .select()
        .from(lessonRuns)
        .where(and(ofLearner, gt(lessonRuns.expiresAtMs, nowMs)))
        .orderBy(desc(lessonRuns.createdAtMs), desc(lessonRuns.id))
        .limit(1);
      return row;
    },
    listRuns: ({ tenantId, lesson, learner, classId, limit, after }) =>
      db
        .select()
        .from(lessonRuns)
        .where(
          and(
            eq(lessonRuns.tenantId, tenantId),
            eq(lessonRuns.lesson, lesson),
            learner === undefined ? undefined : eq(lessonRuns.learner, learner),
            classId === undefined ? undefined : eq(lessonRuns.classId, classId),
            after && olderThan(after),
          ),
        )
        .orderBy(desc(lessonRuns.createdAtMs), desc(lessonRuns.id))
        .limit(limit),
  };
}

/** The queries by the sandboxes of runs, and by their end. */
function sandboxQueries(db: Database): SandboxReads {
  return {
    findRunOf: async (tenantId, sandboxId, nowMs) => {
      const condition = and(eq(lessonRuns.sandboxId, sandboxId), eq(lessonRuns.tenantId, tenantId));
      const [row] = await db.select().from(lessonRuns).where(condition);
      if (row) return row;
      const [holder] = await db
        .select()
        .from(lessonRuns)
        .where(
          and(
            hasClusters(tenantId, nowMs),
            sql`${sandboxId} IN (SELECT value ->> 'sandboxId' FROM json_each(clusters))`,
          ),
        );
      return holder;
    },
    originsOf: async (tenantId, sandboxIds, nowMs) => {
      // A single parameter has all ids, because D1 accepts 100 of them.
      const ids = JSON.stringify(sandboxIds);
      const isAmong = sql`${lessonRuns.sandboxId} IN (SELECT value FROM json_each(${ids}))`;
      const { sandboxId, clusters, lesson, learner } = lessonRuns;
      const origins = (condition: SQL | undefined) =>
        db
          .select({ sandboxId, clusters, lesson, learner, class: sql<string>`coalesce(${lessonClasses.title}, '')` })
          .from(lessonRuns)
          .leftJoin(lessonClasses, eq(lessonClasses.id, lessonRuns.classId))
          .where(condition);
      const [firstOnes, runsWithClusters] = await Promise.all([
        origins(and(eq(lessonRuns.tenantId, tenantId), isAmong)),
        origins(hasClusters(tenantId, nowMs)),
      ]);
      const further = runsWithClusters.flatMap((row) =>
        row.clusters.map(({ sandboxId: id }) => ({ ...row, sandboxId: id })),
      );
      return [...firstOnes, ...further];
    },
    ungradedExams: (endsAfterMs, endsBeforeMs, limit, tenantId) =>
      db
        .select()
        .from(lessonRuns)
        .where(
          and(
            sql`is_exam = 1 AND is_finished = 0`,
            gt(lessonRuns.expiresAtMs, endsAfterMs),
            lte(lessonRuns.expiresAtMs, endsBeforeMs),
            tenantId === undefined ? undefined : eq(lessonRuns.tenantId, tenantId),
          ),
        )
        .orderBy(asc(lessonRuns.expiresAtMs))
        .limit(limit),
  };
}

function writeQueries(db: Database, audit: Audit): Omit<RunDirectory, keyof Reads> {
  return {
    addRun: async (row) => {
      await writeUnaudited(db, "learner", (write) => write.insert(lessonRuns).values(row));
    },
    forgetVisits: async (tenantId, endedBeforeMs) => {
      const ended = and(ofVisitors, lt(lessonRuns.expiresAtMs, endedBeforeMs));
      await writeUnaudited(db, "scheduled", (write) =>
        write.delete(lessonRuns).where(and(eq(lessonRuns.tenantId, tenantId), ended)),
      );
    },
    removeRun: async ({ tenantId, id }) => {
      const condition = and(eq(lessonRuns.id, id), eq(lessonRuns.tenantId, tenantId));
      const removed = await writeAudited(
        db,
        audit,
        { target: id },
        statement(db, (write) => write.delete(lessonRuns).where(condition).returning({ id: lessonRuns.id })),
      );
      return removed.length === 1;
    },
    changeRun: async ({ tenantId, id, change }, to) => {
      const isUnchanged = and(eq(lessonRuns.id, id), eq(lessonRuns.tenantId, tenantId), eq(lessonRuns.change, change));
      const next = { ...to, change: change + 1 };
      const rows = await writeUnaudited(db, "learner", (write) =>
        write.update(lessonRuns).set(next).where(isUnchanged).returning({ id: lessonRuns.id }),
      );
      return rows.length === 1;
    },
    forgetRuns: async (beforeMs, limit) => {
      const expiredRunIds = db
        .select({ id: lessonRuns.id })
        .from(lessonRuns)
        .where(lt(lessonRuns.createdAtMs, beforeMs))
        .limit(limit);
      const rows = await writeUnaudited(db, "scheduled", (write) =>
        write.delete(lessonRuns).where(inArray(lessonRuns.id, expiredRunIds)).returning({ id: lessonRuns.id }),
      );
      return rows.length;
    },
  };
}

/** Selects the live runs with several clusters. The text is that of the partial index. */
function hasClusters(tenantId: string, nowMs: number) {
  return and(eq(lessonRuns.tenantId, tenantId), gt(lessonRuns.expiresAtMs, nowMs), sql`clusters <> '[]'`);
}

function olderThan({ createdAtMs, id }: PageAfter) {
  const { createdAtMs: atMs, id: idColumn } = lessonRuns;
  return or(lt(atMs, createdAtMs), and(eq(atMs, createdAtMs), lt(idColumn, id)));
}
