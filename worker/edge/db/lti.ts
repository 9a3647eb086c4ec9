// What the edge asks of D1 about LTI. Every question about a platform names its tenant.
import { and, asc, desc, eq, inArray, lt, max, type SQL, sql } from "drizzle-orm";
import { type Noted, withNote } from "./audit.ts";
import { type Database, rowWhere } from "./database.ts";
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
  /** None where it was forgotten, or deleted with its lesson. */
  readonly run: LessonRunRow | undefined;
}

export interface LtiDirectory {
  /** False where the tenant has as many, or one with this issuer and client id. */
  addPlatform(row: LtiPlatformRow, most: number): Promise<boolean>;
  /** Nothing, where its tenant is being deleted. */
  findPlatform(tenantId: string, id: string): Promise<LtiPlatformRow | undefined>;
  /** Those with an issuer: one, where they are told apart by client id; two tell that there are several. */
  platformsOf(tenantId: string, issuer: string, clientId?: string): Promise<LtiPlatformRow[]>;
  /** The oldest first. */
  listPlatforms(tenantId: string): Promise<LtiPlatformRow[]>;
  /** False where it is gone. */
  changePlatform(
    tenantId: string,
    id: string,
    to: Partial<Pick<LtiPlatformRow, "name" | "deployments">>,
  ): Promise<boolean>;
  /** With what is known of its learners. False where it is gone already. */
  removePlatform(tenantId: string, id: string): Promise<boolean>;
  findLearner(place: LearnerPlace): Promise<LtiLearnerRow | undefined>;
  learnerOfRun(run: string): Promise<LtiLearnerRow | undefined>;
  /** Adds one, or keeps what a further launch tells of it; its run and points stay, if the lesson does. False where the tenant has as many as it may, or the platform is gone. */
  noteLearner(row: LtiLearnerRow, most: number): Promise<boolean>;
  /** The learner's run from now on, where it is still the one `before`. */
  setRun(place: LearnerPlace, before: string, run: string): Promise<boolean>;
  /** Keeps points that are better than those before, by their share. False where they are not. */
  noteScore(place: LearnerPlace, best: Pick<LtiLearnerRow, "points" | "maxPoints" | "isFinished">): Promise<boolean>;
  /** Those of one link, by name. */
  learnersOf(platformId: string, link: string, limit: number): Promise<LearnerWithRun[]>;
  /** False where it was used before. */
  use(hash: string, expiresAtMs: number): Promise<boolean>;
  /** The newest first. */
  toolKeys(tenantId: string): Promise<LtiKeyRow[]>;
  /** Tenants whose newest key was made before a moment. */
  tenantsWithOldKeys(beforeMs: number, limit: number): Promise<string[]>;
  /** Nothing, where the tenant has one that was made since, or is gone. */
  addToolKey(row: LtiKeyRow, sinceMs: number): Promise<void>;
  /** What is over: what was used up, keys made before a moment, learners not seen since one. Returns the most rows of a kind. */
  forget(nowMs: number, keysBeforeMs: number, learnersBeforeMs: number, limit: number): Promise<number>;
}

export function ltiDirectory(db: Database, noted?: Noted): LtiDirectory {
  return { ...platformsOf(db, noted), ...learnersOf(db), ...onceOf(db), ...keysOf(db) };
}

type Platforms = Pick<
  LtiDirectory,
  "addPlatform" | "findPlatform" | "platformsOf" | "listPlatforms" | "changePlatform" | "removePlatform"
>;

function platformsOf(db: Database, noted: Noted | undefined): Platforms {
  const one = (tenantId: string, id: string) => and(eq(ltiPlatforms.id, id), eq(ltiPlatforms.tenantId, tenantId));
  /** Nobody comes to a tenant that is being deleted. */
  const ofReady = (wanted: SQL | undefined) =>
    db
      .select({ platform: ltiPlatforms })
      .from(ltiPlatforms)
      .innerJoin(tenants, and(eq(tenants.id, ltiPlatforms.tenantId), eq(tenants.state, "ready")))
      .where(wanted)
      .limit(2);
  return {
    addPlatform: async (row, most) => {
      const others = sql`(SELECT count(*) FROM lti_platforms WHERE tenant_id = ${row.tenantId}) < ${most}`;
      const deed = db
        .insert(ltiPlatforms)
        .select(rowWhere(ltiPlatforms, row, others))
        .onConflictDoNothing()
        .returning({ id: ltiPlatforms.id });
      return (await withNote(db, noted, { target: row.id, tenantId: row.tenantId }, deed)).length === 1;
    },
    findPlatform: async (tenantId, id) => (await ofReady(one(tenantId, id)))[0]?.platform,
    platformsOf: async (tenantId, issuer, clientId) => {
      const client = clientId === undefined ? undefined : eq(ltiPlatforms.clientId, clientId);
      const wanted = and(eq(ltiPlatforms.tenantId, tenantId), eq(ltiPlatforms.issuer, issuer), client);
      return (await ofReady(wanted)).map(({ platform }) => platform);
    },
    listPlatforms: (tenantId) =>
      db
        .select()
        .from(ltiPlatforms)
        .where(eq(ltiPlatforms.tenantId, tenantId))
        .orderBy(asc(ltiPlatforms.createdAtMs), asc(ltiPlatforms.id)),
    changePlatform: async (tenantId, id, to) => {
      const deed = db.update(ltiPlatforms).set(to).where(one(tenantId, id)).returning({ id: ltiPlatforms.id });
      return (await withNote(db, noted, { target: id }, deed)).length === 1;
    },
    removePlatform: async (tenantId, id) => {
      const deed = db.delete(ltiPlatforms).where(one(tenantId, id)).returning({ id: ltiPlatforms.id });
      return (await withNote(db, noted, { target: id }, deed)).length === 1;
    },
  };
}

type Learners = Pick<
  LtiDirectory,
  "findLearner" | "learnerOfRun" | "noteLearner" | "setRun" | "noteScore" | "learnersOf"
>;

function learnersOf(db: Database): Learners {
  const one = ({ platformId, link, userId }: LearnerPlace) =>
    and(eq(ltiLearners.platformId, platformId), eq(ltiLearners.link, link), eq(ltiLearners.userId, userId));
  return {
    findLearner: async (place) => (await db.select().from(ltiLearners).where(one(place)))[0],
    learnerOfRun: async (run) => (await db.select().from(ltiLearners).where(eq(ltiLearners.run, run)))[0],
    noteLearner: async (row, most) => {
      const { lesson, title, name, lineItem, lineItems, isCanvas, launchedAtMs } = row;
      const told = { lesson, title, name, lineItem, lineItems, isCanvas, launchedAtMs };
      // What another lesson scored is not this one's.
      const sameLesson = <T>(column: T, other: string | number) =>
        sql`CASE WHEN ${ltiLearners.lesson} = ${lesson} THEN ${column} ELSE ${other} END`;
      const kept = {
        run: sameLesson(ltiLearners.run, ""),
        points: sameLesson(ltiLearners.points, 0),
        maxPoints: sameLesson(ltiLearners.maxPoints, 0),
        isFinished: sameLesson(ltiLearners.isFinished, 0),
      };
      const changed = await db
        .update(ltiLearners)
        .set({ ...told, ...kept })
        .where(one(row))
        .returning({ link: ltiLearners.link });
      if (changed.length === 1) return true;
      const others = sql`(SELECT count(*) FROM lti_learners WHERE tenant_id = ${row.tenantId}) < ${most}
        AND EXISTS (SELECT 1 FROM lti_platforms WHERE id = ${row.platformId})`;
      await db
        .insert(ltiLearners)
        .select(rowWhere(ltiLearners, row, others))
        .onConflictDoNothing();
      return (await db.select({ link: ltiLearners.link }).from(ltiLearners).where(one(row))).length === 1;
    },
    setRun: async (place, before, run) => {
      const same = and(one(place), eq(ltiLearners.run, before));
      const rows = await db.update(ltiLearners).set({ run }).where(same).returning({ run: ltiLearners.run });
      return rows.length === 1;
    },
    noteScore: async (place, { points, maxPoints, isFinished }) => {
      const isBetter = sql`${points} * max(${ltiLearners.maxPoints}, 1) > ${ltiLearners.points} * ${maxPoints}
        OR (${ltiLearners.isFinished} = 0 AND ${isFinished ? 1 : 0} = 1
          AND ${points} * max(${ltiLearners.maxPoints}, 1) >= ${ltiLearners.points} * ${maxPoints})`;
      const rows = await db
        .update(ltiLearners)
        .set({ points, maxPoints, isFinished })
        .where(and(one(place), sql`(${isBetter})`))
        .returning({ run: ltiLearners.run });
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
      const added = await db
        .insert(ltiUsed)
        .values({ hash, expiresAtMs })
        .onConflictDoNothing()
        .returning({ hash: ltiUsed.hash });
      return added.length === 1;
    },
    forget: async (nowMs, keysBeforeMs, learnersBeforeMs, limit) => {
      const over = db.select({ hash: ltiUsed.hash }).from(ltiUsed).where(lt(ltiUsed.expiresAtMs, nowMs)).limit(limit);
      const used = await db.delete(ltiUsed).where(inArray(ltiUsed.hash, over)).returning({ hash: ltiUsed.hash });
      await db.delete(ltiKeys).where(lt(ltiKeys.createdAtMs, keysBeforeMs));
      const old = db
        .select({ id: sql`rowid` })
        .from(ltiLearners)
        .where(lt(ltiLearners.launchedAtMs, learnersBeforeMs))
        .limit(limit);
      const gone = await db.delete(ltiLearners).where(sql`rowid IN ${old}`).returning({ link: ltiLearners.link });
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
      await db.insert(ltiKeys).select(rowWhere(ltiKeys, row, none));
    },
  };
}
