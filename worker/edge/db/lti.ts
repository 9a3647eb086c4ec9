// Queries of LTI. Every query of a platform is limited to its tenant.
import { and, asc, desc, eq, inArray, lt, max, type SQL, sql } from "drizzle-orm";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { type Database, rowWhere, statement } from "./database.ts";
import { lessonRuns, type LessonRunRow } from "./lesson-tables.ts";
import {
  type LtiKeyRow,
  type LtiLearnerRow,
  type LtiPlatformRow,
  ltiKeys,
  ltiLearners,
  ltiPlatforms,
  ltiUsed,
} from "./lti-tables.ts";
import { tenants } from "./tenant-tables.ts";

export type LearnerPlace = Pick<LtiLearnerRow, "platformId" | "link" | "userId">;

export interface LearnerWithRun {
  readonly learner: LtiLearnerRow;
  /** The newest run. Undefined if it was forgotten, or deleted with its lesson. */
  readonly run: LessonRunRow | undefined;
}

export interface LtiDirectory {
  /** Returns false if the tenant has reached the limit, or has a platform with this issuer and client id. */
  addPlatform(row: LtiPlatformRow, most: number): Promise<boolean>;
  /** Returns undefined if the tenant is being deleted. */
  findPlatform(tenantId: string, id: string): Promise<LtiPlatformRow | undefined>;
  /** Returns up to two platforms of an issuer; two mean that the client id is ambiguous. */
  platformsOf(tenantId: string, issuer: string, clientId?: string): Promise<LtiPlatformRow[]>;
  /** Lists platforms, the oldest first. */
  listPlatforms(tenantId: string): Promise<LtiPlatformRow[]>;
  /** Returns false if the platform does not exist. */
  changePlatform(
    tenantId: string,
    id: string,
    to: Partial<Pick<LtiPlatformRow, "name" | "deployments">>,
  ): Promise<boolean>;
  /** Deletes a platform with its learners. Returns false if it does not exist. */
  removePlatform(tenantId: string, id: string): Promise<boolean>;
  findLearner(place: LearnerPlace): Promise<LtiLearnerRow | undefined>;
  learnerOfRun(run: string): Promise<LtiLearnerRow | undefined>;
  /**
   * Adds or updates a learner at a launch. The run and the points stay if the lesson is the same. Returns false if the tenant has reached
   * the limit, or the platform is gone.
   */
  noteLearner(row: LtiLearnerRow, most: number): Promise<boolean>;
  /** Sets the learner's run if it is still `before`. */
  setRun(place: LearnerPlace, before: string, run: string): Promise<boolean>;
  /** Stores the score if its share of the points is better. Returns false otherwise. */
  noteScore(place: LearnerPlace, best: Pick<LtiLearnerRow, "points" | "maxPoints" | "isFinished">): Promise<boolean>;
  /** Lists the learners of a link, by name. */
  learnersOf(platformId: string, link: string, limit: number): Promise<LearnerWithRun[]>;
  /** Marks a value as used. Returns false if it was used before. */
  use(hash: string, expiresAtMs: number): Promise<boolean>;
  /** Lists the keys, the newest first. */
  toolKeys(tenantId: string): Promise<LtiKeyRow[]>;
  /** Lists tenants whose newest key was created before a time. */
  tenantsWithOldKeys(beforeMs: number, limit: number): Promise<string[]>;
  /** Adds a key unless the tenant has one since that time, or is gone. */
  addToolKey(row: LtiKeyRow, sinceMs: number): Promise<void>;
  /**
   * Deletes used values, keys created before a time, and learners not seen since a time. Returns the largest number of rows of one kind.
   */
  forget(nowMs: number, keysBeforeMs: number, learnersBeforeMs: number, limit: number): Promise<number>;
}

export function ltiDirectory(db: Database, audit: Audit): LtiDirectory {
  return { ...platformsOf(db, audit), ...learnersOf(db), ...onceOf(db), ...keysOf(db) };
}

type Platforms = Pick<
  LtiDirectory,
  "addPlatform" | "findPlatform" | "platformsOf" | "listPlatforms" | "changePlatform" | "removePlatform"
>;

function platformsOf(db: Database, audit: Audit): Platforms {
  const platformById = (tenantId: string, id: string) =>
    and(eq(ltiPlatforms.id, id), eq(ltiPlatforms.tenantId, tenantId));
  /** Excludes tenants that are being deleted. */
  const ofReady = (condition: SQL | undefined) =>
    db
      .select({ platform: ltiPlatforms })
      .from(ltiPlatforms)
      .innerJoin(tenants, and(eq(tenants.id, ltiPlatforms.tenantId), eq(tenants.state, "ready")))
      .where(condition)
      .limit(2);
  return {
    addPlatform: async (row, most) => {
      const isBelowLimit = sql`(SELECT count(*) FROM lti_platforms WHERE tenant_id = ${row.tenantId}) < ${most}`;
      const insertPlatform = statement(db, (write) =>
        write
          .insert(ltiPlatforms)
          .select(rowWhere(ltiPlatforms, row, isBelowLimit))
          .onConflictDoNothing()
          .returning({ id: ltiPlatforms.id }),
      );
      return (await writeAudited(db, audit, { target: row.id, tenantId: row.tenantId }, insertPlatform)).length === 1;
    },
    findPlatform: async (tenantId, id) => (await ofReady(platformById(tenantId, id)))[0]?.platform,
    platformsOf: async (tenantId, issuer, clientId) => {
      const client = clientId === undefined ? undefined : eq(ltiPlatforms.clientId, clientId);
      const condition = and(eq(ltiPlatforms.tenantId, tenantId), eq(ltiPlatforms.issuer, issuer), client);
      return (await ofReady(condition)).map(({ platform }) => platform);
    },
    listPlatforms: (tenantId) =>
      db
        .select()
        .from(ltiPlatforms)
        .where(eq(ltiPlatforms.tenantId, tenantId))
        .orderBy(asc(ltiPlatforms.createdAtMs), asc(ltiPlatforms.id)),
    changePlatform: async (tenantId, id, to) => {
      const updatePlatform = statement(db, (write) =>
        write.update(ltiPlatforms).set(to).where(platformById(tenantId, id)).returning({ id: ltiPlatforms.id }),
      );
      return (await writeAudited(db, audit, { target: id }, updatePlatform)).length === 1;
    },
    removePlatform: async (tenantId, id) => {
      const deletePlatform = statement(db, (write) =>
        write.delete(ltiPlatforms).where(platformById(tenantId, id)).returning({ id: ltiPlatforms.id }),
      );
      return (await writeAudited(db, audit, { target: id }, deletePlatform)).length === 1;
    },
  };
}

type Learners = Pick<
  LtiDirectory,
  "findLearner" | "learnerOfRun" | "noteLearner" | "setRun" | "noteScore" | "learnersOf"
>;

function learnersOf(db: Database): Learners {
  const learnerAt = ({ platformId, link, userId }: LearnerPlace) =>
    and(eq(ltiLearners.platformId, platformId), eq(ltiLearners.link, link), eq(ltiLearners.userId, userId));
  return {
    findLearner: async (place) => (await db.select().from(ltiLearners).where(learnerAt(place)))[0],
    learnerOfRun: async (run) => (await db.select().from(ltiLearners).where(eq(ltiLearners.run, run)))[0],
    noteLearner: async (row, most) => {
      const { lesson, title, name, lineItem, lineItems, isCanvas, launchedAtMs } = row;
      const launchValues = { lesson, title, name, lineItem, lineItems, isCanvas, launchedAtMs };
      // The score of another lesson does not count for this one.
      const sameLesson = <T>(column: T, otherwise: string | number) =>
        sql`CASE WHEN ${ltiLearners.lesson} = ${lesson} THEN ${column} ELSE ${otherwise} END`;
      const keptColumns = {
        run: sameLesson(ltiLearners.run, ""),
        points: sameLesson(ltiLearners.points, 0),
        maxPoints: sameLesson(ltiLearners.maxPoints, 0),
        isFinished: sameLesson(ltiLearners.isFinished, 0),
      };
      const changed = await writeUnaudited(db, "learner", (write) =>
        write
          .update(ltiLearners)
          .set({ ...launchValues, ...keptColumns })
          .where(learnerAt(row))
          .returning({ link: ltiLearners.link }),
      );
      if (changed.length === 1) return true;
      const isBelowLimit = sql`(SELECT count(*) FROM lti_learners WHERE tenant_id = ${row.tenantId}) < ${most}
        AND EXISTS (SELECT 1 FROM lti_platforms WHERE id = ${row.platformId})`;
      await writeUnaudited(db, "learner", (write) =>
        write
          .insert(ltiLearners)
          .select(rowWhere(ltiLearners, row, isBelowLimit))
          .onConflictDoNothing(),
      );
      return (await db.select({ link: ltiLearners.link }).from(ltiLearners).where(learnerAt(row))).length === 1;
    },
    setRun: async (place, before, run) => {
      const same = and(learnerAt(place), eq(ltiLearners.run, before));
      const rows = await writeUnaudited(db, "learner", (write) =>
        write.update(ltiLearners).set({ run }).where(same).returning({ run: ltiLearners.run }),
      );
      return rows.length === 1;
    },
    noteScore: async (place, { points, maxPoints, isFinished }) => {
      const isBetter = sql`${points} * max(${ltiLearners.maxPoints}, 1) > ${ltiLearners.points} * ${maxPoints}
        OR (${ltiLearners.isFinished} = 0 AND ${isFinished ? 1 : 0} = 1
          AND ${points} * max(${ltiLearners.maxPoints}, 1) >= ${ltiLearners.points} * ${maxPoints})`;
      const rows = await writeUnaudited(db, "learner", (write) =>
        write
          .update(ltiLearners)
          .set({ points, maxPoints, isFinished })
          .where(and(learnerAt(place), sql`(${isBetter})`))
          .returning({ run: ltiLearners.run }),
      );
      return rows.length === 1;
    },
    learnersOf: async (platformId, link, limit) => {
      const rows = await db
        .select({ learner: ltiLearners, run: lessonRuns })
        .from(ltiLearners)
        .leftJoin(lessonRuns, eq(lessonRuns.id, ltiLearners.run))
        .where(and(eq(ltiLearners.platformId, platformId), eq(ltiLearners.link, link)))
        .orderBy(asc(ltiLearners.name), asc(ltiLearners.userId))
        .limit(limit);
      return rows.map(({ learner, run }) => ({ learner, run: run ?? undefined }));
    },
  };
}

function onceOf(db: Database): Pick<LtiDirectory, "use" | "forget"> {
  return {
    use: async (hash, expiresAtMs) => {
      const added = await writeUnaudited(db, "bookkeeping", (write) =>
        write.insert(ltiUsed).values({ hash, expiresAtMs }).onConflictDoNothing().returning({ hash: ltiUsed.hash }),
      );
      return added.length === 1;
    },
    forget: async (nowMs, keysBeforeMs, learnersBeforeMs, limit) => {
      const over = db.select({ hash: ltiUsed.hash }).from(ltiUsed).where(lt(ltiUsed.expiresAtMs, nowMs)).limit(limit);
      const used = await writeUnaudited(db, "scheduled", (write) =>
        write.delete(ltiUsed).where(inArray(ltiUsed.hash, over)).returning({ hash: ltiUsed.hash }),
      );
      await writeUnaudited(db, "scheduled", (write) =>
        write.delete(ltiKeys).where(lt(ltiKeys.createdAtMs, keysBeforeMs)),
      );
      const old = db
        .select({ id: sql`rowid` })
        .from(ltiLearners)
        .where(lt(ltiLearners.launchedAtMs, learnersBeforeMs))
        .limit(limit);
      const gone = await writeUnaudited(db, "scheduled", (write) =>
        write.delete(ltiLearners).where(sql`rowid IN ${old}`).returning({ link: ltiLearners.link }),
      );
      return Math.max(used.length, gone.length);
    },
  };
}

function keysOf(db: Database): Pick<LtiDirectory, "toolKeys" | "tenantsWithOldKeys" | "addToolKey"> {
  return {
    toolKeys: (tenantId) =>
      db
        .select()
        .from(ltiKeys)
        .where(eq(ltiKeys.tenantId, tenantId))
        .orderBy(desc(ltiKeys.createdAtMs), ltiKeys.kid)
        .limit(10),
    tenantsWithOldKeys: async (beforeMs, limit) => {
      const rows = await db
        .select({ tenantId: ltiKeys.tenantId })
        .from(ltiKeys)
        .groupBy(ltiKeys.tenantId)
        .having(lt(max(ltiKeys.createdAtMs), beforeMs))
        .limit(limit);
      return rows.map(({ tenantId }) => tenantId);
    },
    addToolKey: async (row, sinceMs) => {
      const none = sql`NOT EXISTS (SELECT 1 FROM lti_keys WHERE tenant_id = ${row.tenantId} AND created_at_ms > ${sinceMs})
        AND EXISTS (SELECT 1 FROM tenants WHERE id = ${row.tenantId})`;
      await writeUnaudited(db, "bookkeeping", (write) => write.insert(ltiKeys).select(rowWhere(ltiKeys, row, none)));
    },
  };
}
