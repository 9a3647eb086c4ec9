// Queries of classes and their seats. Every query of a teacher is limited to the tenant.
import { and, count, desc, eq, getTableColumns, inArray, lt, lte, sql } from "drizzle-orm";
import { type Audit, writeAudited, writeUnaudited } from "../audit.ts";
import { type ClassRow, classSeats, lessonClasses, type SeatRow } from "./class-tables.ts";
import { type Database, rowWhere, statement } from "../database.ts";
import { tenants } from "../tenant-tables.ts";

export interface TakenClass extends ClassRow {
  /** The number of taken seats. */
  readonly taken: number;
}

export type ClassChange = Partial<Pick<ClassRow, "title" | "seats" | "deadlineMs" | "pausedMs" | "isListedOnly">>;

export interface ClassDirectory {
  /** Returns false if the tenant has reached the limit. */
  add(row: ClassRow, most: number): Promise<boolean>;
  /** Lists the classes of a lesson, the newest first. */
  list(tenantId: string, lesson: string): Promise<TakenClass[]>;
  /** Deletes a class with its seats; runs stay. Returns false if it does not exist. */
  remove(tenantId: string, lesson: string, id: string): Promise<boolean>;
  /** Finds a class of any tenant. Returns undefined if the tenant is being deleted. */
  find(id: string): Promise<TakenClass | undefined>;
  /** Changes a class. Returns false if it does not exist. */
  change(tenantId: string, id: string, to: ClassChange): Promise<boolean>;
  /** Adds time to the deadline, if there is one and the class does not remember the key. The oldest keys beyond `most` are forgotten. */
  addTime(row: Pick<ClassRow, "tenantId" | "id">, addedMs: number, key: string, most: number): Promise<void>;
  findSeat(classId: string, id: string): Promise<SeatRow | undefined>;
  /** Lists the seats of a class, the oldest first. */
  listSeats(classId: string): Promise<SeatRow[]>;
  /** Reserves seats for e-mail addresses that have none. Stops at the class's limit. */
  reserveSeats(classId: string, rows: readonly SeatRow[]): Promise<void>;
  /** Returns false if the class is full, expired or deleted, or if the name is taken. */
  takeSeat(row: SeatRow, nowMs: number): Promise<boolean>;
  hasName(classId: string, nameKey: string): Promise<boolean>;
  removeSeat(id: string): Promise<void>;
  /**
   * Reserves the creation of the seat's next run until a time. Returns false if another request holds it, or the seat has reached its limit
   * of runs.
   */
  claim(seat: SeatRow, nowMs: number, untilMs: number, most: number): Promise<boolean>;
  /** Stores the created run. Undefined releases the reservation without counting a run. */
  settle(seatId: string, run: string | undefined): Promise<void>;
  /** Deletes classes that ended before a time. Returns the number of deleted rows. */
  forget(endedBeforeMs: number, limit: number): Promise<number>;
}

export function classDirectory(db: Database, audit: Audit): ClassDirectory {
  return { ...classesOf(db, audit), ...deadlinesOf(db, audit), ...reservationsOf(db, audit), ...seatsOf(db) };
}

type Classes = Pick<ClassDirectory, "add" | "list" | "remove" | "find" | "change" | "forget">;

function classesOf(db: Database, audit: Audit): Classes {
  const selectClasses = () =>
    db
      .select({ ...getTableColumns(lessonClasses), taken: count(classSeats.id) })
      .from(lessonClasses)
      .innerJoin(tenants, and(eq(tenants.id, lessonClasses.tenantId), eq(tenants.state, "ready")))
      .leftJoin(classSeats, eq(classSeats.classId, lessonClasses.id))
      .groupBy(lessonClasses.id);
  return {
    add: async (row, most) => {
      const classCount = sql`SELECT count(*) FROM lesson_classes WHERE tenant_id = ${row.tenantId}`;
      const insertClass = statement(db, (write) =>
        write
          .insert(lessonClasses)
          .select(rowWhere(lessonClasses, row, sql`(${classCount}) < ${most}`))
          .returning({ id: lessonClasses.id }),
      );
      return (await writeAudited(db, audit, { target: row.id }, insertClass)).length === 1;
    },
    list: (tenantId, lesson) =>
      selectClasses()
        .where(and(eq(lessonClasses.tenantId, tenantId), eq(lessonClasses.lesson, lesson)))
        .orderBy(desc(lessonClasses.createdAtMs), lessonClasses.id),
    remove: async (tenantId, lesson, id) => {
      const lessonCondition = and(eq(lessonClasses.tenantId, tenantId), eq(lessonClasses.lesson, lesson));
      const deleteClass = statement(db, (write) =>
        write
          .delete(lessonClasses)
          .where(and(lessonCondition, eq(lessonClasses.id, id)))
          .returning({ id: lessonClasses.id }),
      );
      return (await writeAudited(db, audit, { target: id }, deleteClass)).length === 1;
    },
    find: async (id) => (await selectClasses().where(eq(lessonClasses.id, id)))[0],
    change: async (tenantId, id, to) => {
      const update = statement(db, (write) =>
        write
          .update(lessonClasses)
          .set(to)
          .where(and(eq(lessonClasses.tenantId, tenantId), eq(lessonClasses.id, id)))
          .returning({ id: lessonClasses.id }),
      );
      return (await writeAudited(db, audit, { target: id, detail: JSON.stringify(to) }, update)).length === 1;
    },
    forget: async (endedBeforeMs, limit) => {
      const old = db
        .select({ id: lessonClasses.id })
        .from(lessonClasses)
        .where(lt(lessonClasses.expiresAtMs, endedBeforeMs))
        .limit(limit);
      const rows = await writeUnaudited(db, "scheduled", (write) =>
        write.delete(lessonClasses).where(inArray(lessonClasses.id, old)).returning({
          id: lessonClasses.id,
        }),
      );
      return rows.length;
    },
  };
}

function deadlinesOf(db: Database, audit: Audit): Pick<ClassDirectory, "addTime"> {
  return {
    addTime: async ({ tenantId, id }, addedMs, key, most) => {
      const newest = sql`CASE WHEN json_array_length(time_keys) >= ${most} THEN json_remove(time_keys, '$[0]') ELSE time_keys END`;
      const update = statement(db, (write) =>
        write
          .update(lessonClasses)
          .set({
            deadlineMs: sql`CASE WHEN deadline_ms > 0 THEN deadline_ms + ${addedMs} ELSE 0 END`,
            timeKeys: sql`json_insert(${newest}, '$[#]', ${key})`,
          })
          .where(
            and(
              eq(lessonClasses.tenantId, tenantId),
              eq(lessonClasses.id, id),
              sql`NOT EXISTS (SELECT 1 FROM json_each(time_keys) WHERE value = ${key})`,
            ),
          )
          .returning({ id: lessonClasses.id }),
      );
      await writeAudited(db, audit, { target: id, detail: JSON.stringify({ addedMs }) }, update);
    },
  };
}

type Reservations = Pick<ClassDirectory, "listSeats" | "reserveSeats">;

function reservationsOf(db: Database, audit: Audit): Reservations {
  return {
    listSeats: (classId) =>
      db
        .select()
        .from(classSeats)
        .where(eq(classSeats.classId, classId))
        // In the order of their insertion, so that two who join a team at once agree on its oldest seat.
        .orderBy(sql`rowid`),
    reserveSeats: async (classId, rows) => {
      const taken = sql`SELECT count(*) FROM class_seats WHERE class_id = ${classId}`;
      const hasRoom = sql`(${taken}) < (SELECT seats FROM lesson_classes WHERE id = ${classId})`;
      const inserts = rows.map((row) =>
        statement(db, (write) =>
          write
            .insert(classSeats)
            .select(rowWhere(classSeats, row, hasRoom))
            .onConflictDoNothing(),
        ),
      );
      const [first, ...later] = inserts;
      if (first) await writeAudited(db, audit, { target: classId }, first, later);
    },
  };
}

function seatsOf(db: Database): Omit<ClassDirectory, keyof Classes | keyof Reservations | "addTime"> {
  return {
    findSeat: async (classId, id) => {
      const condition = and(eq(classSeats.id, id), eq(classSeats.classId, classId));
      return (await db.select().from(classSeats).where(condition))[0];
    },
    takeSeat: async (row, nowMs) => {
      const taken = sql`SELECT count(*) FROM class_seats WHERE class_id = ${row.classId}`;
      const isOpen = sql`EXISTS (SELECT 1 FROM lesson_classes WHERE id = ${row.classId} AND expires_at_ms > ${nowMs} AND (${taken}) < seats)`;
      const rows = await writeUnaudited(db, "learner", (write) =>
        write
          .insert(classSeats)
          .select(rowWhere(classSeats, row, isOpen))
          .onConflictDoNothing()
          .returning({ id: classSeats.id }),
      );
      return rows.length === 1;
    },
    hasName: async (classId, nameKey) => {
      const same = and(eq(classSeats.classId, classId), eq(classSeats.nameKey, nameKey));
      return (await db.$count(classSeats, same)) > 0;
    },
    removeSeat: async (id) => {
      await writeUnaudited(db, "learner", (write) => write.delete(classSeats).where(eq(classSeats.id, id)));
    },
    claim: async ({ id, run }, nowMs, untilMs, most) => {
      const isFree = and(
        eq(classSeats.id, id),
        eq(classSeats.run, run),
        lte(classSeats.makingUntilMs, nowMs),
        lt(classSeats.runs, most),
      );
      const rows = await writeUnaudited(db, "learner", (write) =>
        write
          .update(classSeats)
          .set({ makingUntilMs: untilMs, runs: sql`runs + 1` })
          .where(isFree)
          .returning({ id: classSeats.id }),
      );
      return rows.length === 1;
    },
    settle: async (seatId, run) => {
      const to = run === undefined ? { runs: sql`runs - 1` } : { run };
      await writeUnaudited(db, "learner", (write) =>
        write
          .update(classSeats)
          .set({ ...to, makingUntilMs: 0 })
          .where(eq(classSeats.id, seatId)),
      );
    },
  };
}
