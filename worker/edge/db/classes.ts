// What the edge asks of D1 about classes and their seats. Every question of a teacher names the tenant.
import { and, count, desc, eq, getTableColumns, inArray, lt, lte, sql } from "drizzle-orm";
import { type Noted, withNote } from "./audit.ts";
import { type ClassRow, classSeats, lessonClasses, type SeatRow } from "./class-tables.ts";
import { type Database, rowWhere } from "./database.ts";
import { tenants } from "./tenant-tables.ts";

export interface TakenClass extends ClassRow {
  /** Seats that are taken. */
  readonly taken: number;
}

export interface ClassDirectory {
  /** False where the tenant has as many. */
  add(row: ClassRow, most: number): Promise<boolean>;
  /** Of a lesson: the newest first. */
  list(tenantId: string, lesson: string): Promise<TakenClass[]>;
  /** With its seats; runs stay. False where it is gone already. */
  remove(tenantId: string, lesson: string, id: string): Promise<boolean>;
  /** Whoever asks. Nothing, where its tenant is being deleted. */
  find(id: string): Promise<TakenClass | undefined>;
  findSeat(classId: string, id: string): Promise<SeatRow | undefined>;
  /** False where the class is full, over or gone, or has somebody of that name. */
  takeSeat(row: SeatRow, nowMs: number): Promise<boolean>;
  hasName(classId: string, nameKey: string): Promise<boolean>;
  removeSeat(id: string): Promise<void>;
  /** Who makes the seat's next run, until a moment. False where somebody else does, or it had as many as it may. */
  claim(seat: SeatRow, nowMs: number, untilMs: number, most: number): Promise<boolean>;
  /** The run that was made; undefined: none was, and it is not counted. */
  settle(seatId: string, run: string | undefined): Promise<void>;
  /** Those that ended before a moment. Returns how many they were. */
  forget(endedBeforeMs: number, limit: number): Promise<number>;
}

export function classDirectory(db: Database, noted?: Noted): ClassDirectory {
  return { ...classesOf(db, noted), ...seatsOf(db) };
}

type Classes = Pick<ClassDirectory, "add" | "list" | "remove" | "find" | "forget">;

function classesOf(db: Database, noted: Noted | undefined): Classes {
  const found = () =>
    db
      .select({ ...getTableColumns(lessonClasses), taken: count(classSeats.id) })
      .from(lessonClasses)
      .innerJoin(tenants, and(eq(tenants.id, lessonClasses.tenantId), eq(tenants.state, "ready")))
      .leftJoin(classSeats, eq(classSeats.classId, lessonClasses.id))
      .groupBy(lessonClasses.id);
  return {
    add: async (row, most) => {
      const others = sql`SELECT count(*) FROM lesson_classes WHERE tenant_id = ${row.tenantId}`;
      const deed = db
        .insert(lessonClasses)
        .select(rowWhere(lessonClasses, row, sql`(${others}) < ${most}`))
        .returning({ id: lessonClasses.id });
      return (await withNote(db, noted, { target: row.id }, deed)).length === 1;
    },
    list: (tenantId, lesson) =>
      found()
        .where(and(eq(lessonClasses.tenantId, tenantId), eq(lessonClasses.lesson, lesson)))
        .orderBy(desc(lessonClasses.createdAtMs), lessonClasses.id),
    remove: async (tenantId, lesson, id) => {
      const own = and(eq(lessonClasses.tenantId, tenantId), eq(lessonClasses.lesson, lesson));
      const deed = db
        .delete(lessonClasses)
        .where(and(own, eq(lessonClasses.id, id)))
        .returning({ id: lessonClasses.id });
      return (await withNote(db, noted, { target: id }, deed)).length === 1;
    },
    find: async (id) => (await found().where(eq(lessonClasses.id, id)))[0],
    forget: async (endedBeforeMs, limit) => {
      const old = db
        .select({ id: lessonClasses.id })
        .from(lessonClasses)
        .where(lt(lessonClasses.expiresAtMs, endedBeforeMs))
        .limit(limit);
      const rows = await db.delete(lessonClasses).where(inArray(lessonClasses.id, old)).returning({
        id: lessonClasses.id,
      });
      return rows.length;
    },
  };
}

function seatsOf(db: Database): Omit<ClassDirectory, keyof Classes> {
  return {
    findSeat: async (classId, id) => {
      const one = and(eq(classSeats.id, id), eq(classSeats.classId, classId));
      return (await db.select().from(classSeats).where(one))[0];
    },
    takeSeat: async (row, nowMs) => {
      const taken = sql`SELECT count(*) FROM class_seats WHERE class_id = ${row.classId}`;
      const isOpen = sql`EXISTS (SELECT 1 FROM lesson_classes WHERE id = ${row.classId} AND expires_at_ms > ${nowMs} AND (${taken}) < seats)`;
      const rows = await db
        .insert(classSeats)
        .select(rowWhere(classSeats, row, isOpen))
        .onConflictDoNothing()
        .returning({ id: classSeats.id });
      return rows.length === 1;
    },
    hasName: async (classId, nameKey) => {
      const same = and(eq(classSeats.classId, classId), eq(classSeats.nameKey, nameKey));
      return (await db.$count(classSeats, same)) > 0;
    },
    removeSeat: async (id) => {
      await db.delete(classSeats).where(eq(classSeats.id, id));
    },
    claim: async ({ id, run }, nowMs, untilMs, most) => {
      const isFree = and(
        eq(classSeats.id, id),
        eq(classSeats.run, run),
        lte(classSeats.makingUntilMs, nowMs),
        lt(classSeats.runs, most),
      );
      const rows = await db
        .update(classSeats)
        .set({ makingUntilMs: untilMs, runs: sql`runs + 1` })
        .where(isFree)
        .returning({ id: classSeats.id });
      return rows.length === 1;
    },
    settle: async (seatId, run) => {
      const to = run === undefined ? { runs: sql`runs - 1` } : { run };
      await db
        .update(classSeats)
        .set({ ...to, makingUntilMs: 0 })
        .where(eq(classSeats.id, seatId));
    },
  };
}
