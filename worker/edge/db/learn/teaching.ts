// Queries about the runs that a teacher leads: messages, time, pauses, and the record of the learner's terminal.
import { and, asc, desc, eq, gt, inArray, ne, type SQL, sql } from "drizzle-orm";
import { recordingLimits } from "../../../../shared/base/lesson-limits.ts";
import { type Audit, writeAudited, writeUnaudited } from "../audit.ts";
import { type Database, rowWhere, statement } from "../database.ts";
import {
  type LessonRunRow,
  lessonRuns,
  type RunCommandRow,
  runCommands,
  type StoredMessage,
} from "../lesson-tables.ts";

/** The live runs of learners: one run, those of a class, or all of a lesson. Visitors of embedded pages have no teacher. */
export interface LedRuns {
  readonly tenantId: string;
  readonly lesson: string;
  readonly run?: string | undefined;
  readonly class?: string | undefined;
}

export type NewCommand = Omit<RunCommandRow, "runId" | "seq" | "characters">;

/** The size of a run's record. */
export type RecordSize = Pick<RunCommandRow, "seq" | "characters">;

type RunTime = Pick<LessonRunRow, "expiresAtMs" | "extraMs" | "pausedMs">;

export interface TeachingDirectory {
  /** Lists the newest live runs, up to `limit`. */
  liveRuns(which: LedRuns, nowMs: number, limit: number): Promise<LessonRunRow[]>;
  /** Appends a message to each live run, whose oldest one is dropped beyond `most`. Returns the number of runs. */
  sendMessage(which: LedRuns, nowMs: number, message: StoredMessage, most: number): Promise<number>;
  /**
   * Changes the time of a run. Returns false if its time was changed concurrently, or the run is gone. A concurrent grading of an exam is
   * rejected, because its end has moved.
   */
  setTime(row: Pick<LessonRunRow, "id"> & RunTime, to: RunTime & Pick<LessonRunRow, "timeKeys">): Promise<boolean>;
  setMembers(id: string, members: readonly string[]): Promise<void>;
  /** Changes the teacher's help. Returns false if it was changed concurrently, or the run is gone. */
  setHelp(row: Pick<LessonRunRow, "id" | "help">, to: LessonRunRow["help"]): Promise<boolean>;
  /** Appends lines to the record of a run. Lines beyond the limit, and those that a page sends again, are dropped. */
  addCommands(runId: string, commands: readonly NewCommand[]): Promise<void>;
  /** Lists lines after a number, the oldest first. */
  listCommands(runId: string, after: number, limit: number): Promise<RunCommandRow[]>;
  /** Returns the size of a run's record. */
  sizeOfRecord(runId: string): Promise<RecordSize>;
  /** Lists the lines of several runs, without their output. */
  linesOf(runIds: readonly string[], limit: number): Promise<Pick<RunCommandRow, "runId" | "line">[]>;
}

export function teachingDirectory(db: Database, audit: Audit): TeachingDirectory {
  return { ...ledRuns(db, audit), ...records(db) };
}

type Led = Pick<TeachingDirectory, "liveRuns" | "sendMessage" | "setTime" | "setMembers" | "setHelp">;

type ChangedColumns = { readonly [Column in keyof LessonRunRow]?: LessonRunRow[Column] | SQL };

function ledRuns(db: Database, audit: Audit): Led {
  const isLed = ({ tenantId, lesson, run, class: classId }: LedRuns, nowMs: number) =>
    and(
      eq(lessonRuns.tenantId, tenantId),
      eq(lessonRuns.lesson, lesson),
      eq(lessonRuns.publishableKey, ""),
      run === undefined ? undefined : eq(lessonRuns.id, run),
      classId === undefined ? undefined : eq(lessonRuns.classId, classId),
      gt(lessonRuns.expiresAtMs, nowMs),
    );
  const change = async (id: string, to: ChangedColumns, condition?: SQL) => {
    const isRun = and(eq(lessonRuns.id, id), condition);
    const rows = await writeUnaudited(db, "entered", (write) =>
      write.update(lessonRuns).set(to).where(isRun).returning({ id: lessonRuns.id }),
    );
    return rows.length === 1;
  };
  return {
    liveRuns: (which, nowMs, limit) =>
      db.select().from(lessonRuns).where(isLed(which, nowMs)).orderBy(desc(lessonRuns.createdAtMs)).limit(limit),
    sendMessage: async (which, nowMs, message, most) => {
      const old = sql`CASE WHEN json_array_length(messages) >= ${most} THEN json_remove(messages, '$[0]') ELSE messages END`;
      const update = statement(db, (write) =>
        write
          .update(lessonRuns)
          .set({ messages: sql`json_insert(${old}, '$[#]', json(${JSON.stringify(message)}))` })
          .where(isLed(which, nowMs))
          .returning({ id: lessonRuns.id }),
      );
      const target = which.run ?? which.class ?? which.lesson;
      return (await writeAudited(db, audit, { target }, update)).length;
    },
    setTime: ({ id, expiresAtMs, extraMs, pausedMs }, to) => {
      const isUnchanged = and(
        eq(lessonRuns.expiresAtMs, expiresAtMs),
        eq(lessonRuns.extraMs, extraMs),
        eq(lessonRuns.pausedMs, pausedMs),
      );
      return change(id, { ...to, change: sql`${lessonRuns.change} + ${lessonRuns.isExam}` }, isUnchanged);
    },
    setMembers: async (id, members) => void (await change(id, { members })),
    setHelp: ({ id, help: { change: count = 0 } }, to) => {
      const isUnchanged = sql`coalesce(json_extract(help, '$.change'), 0) = ${count}`;
      return change(id, { help: { ...to, change: count + 1 } }, isUnchanged);
    },
  };
}

function records(db: Database): Omit<TeachingDirectory, keyof Led> {
  return {
    addCommands: async (runId, commands) => {
      const last = sql`(SELECT coalesce(max(seq), 0) FROM run_commands WHERE run_id = ${runId})`;
      // The newest row has the sum, so that a request reads two rows of a long record.
      const newest = sql`SELECT characters FROM run_commands WHERE run_id = ${runId} ORDER BY seq DESC LIMIT 1`;
      const size = sql`coalesce((${newest}), 0)`;
      const hasRoom = sql`${last} < ${recordingLimits.commands} AND ${size} < ${recordingLimits.runCharacters}`;
      const [first, ...later] = commands.map((command) => {
        const added = command.line.length + command.output.length;
        const row = { ...command, runId, seq: sql`${last} + 1`, characters: sql`${size} + ${added}` };
        return (write: Parameters<Parameters<typeof statement>[1]>[0]) =>
          write
            .insert(runCommands)
            .select(rowWhere(runCommands, row, hasRoom))
            .onConflictDoNothing();
      });
      if (!first) return;
      await writeUnaudited(
        db,
        "learner",
        first,
        later.map((build) => statement(db, build)),
      );
    },
    listCommands: (runId, after, limit) =>
      db
        .select()
        .from(runCommands)
        .where(and(eq(runCommands.runId, runId), gt(runCommands.seq, after)))
        .orderBy(asc(runCommands.seq))
        .limit(limit),
    sizeOfRecord: async (runId) => {
      const [newest] = await db
        .select({ seq: runCommands.seq, characters: runCommands.characters })
        .from(runCommands)
        .where(eq(runCommands.runId, runId))
        .orderBy(desc(runCommands.seq))
        .limit(1);
      return newest ?? { seq: 0, characters: 0 };
    },
    linesOf: (runIds, limit) =>
      db
        .select({ runId: runCommands.runId, line: runCommands.line })
        .from(runCommands)
        .where(and(inArray(runCommands.runId, [...runIds]), ne(runCommands.line, "")))
        .limit(limit),
  };
}
