// Queries about the runs that a teacher leads: messages, time, pauses, and the record of the learner's terminal.
import { and, asc, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
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

export type NewCommand = Omit<RunCommandRow, "runId" | "seq">;

export interface TeachingDirectory {
  /** Lists the newest live runs, up to `limit`. */
  liveRuns(which: LedRuns, nowMs: number, limit: number): Promise<LessonRunRow[]>;
  /** Appends a message to each live run, whose oldest one is dropped beyond `most`. Returns the number of runs. */
  sendMessage(which: LedRuns, nowMs: number, message: StoredMessage, most: number): Promise<number>;
  /** Changes the time of a run. Returns false if it was deleted. A concurrent grading of an exam is rejected, because its end has moved. */
  setTime(id: string, to: Pick<LessonRunRow, "expiresAtMs" | "extraMs" | "pausedMs">): Promise<boolean>;
  setMembers(id: string, members: readonly string[]): Promise<void>;
  setHelp(id: string, help: LessonRunRow["help"]): Promise<void>;
  /** Appends lines to the record of a run. Lines beyond the limit are dropped. */
  addCommands(runId: string, commands: readonly NewCommand[]): Promise<void>;
  /** Lists lines after a number, the oldest first. */
  listCommands(runId: string, after: number, limit: number): Promise<RunCommandRow[]>;
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
  const change = async (id: string, to: ChangedColumns) => {
    const rows = await writeUnaudited(db, "entered", (write) =>
      write.update(lessonRuns).set(to).where(eq(lessonRuns.id, id)).returning({ id: lessonRuns.id }),
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
    setTime: (id, to) => change(id, { ...to, change: sql`${lessonRuns.change} + ${lessonRuns.isExam}` }),
    setMembers: async (id, members) => void (await change(id, { members })),
    setHelp: async (id, help) => void (await change(id, { help })),
  };
}

function records(db: Database): Omit<TeachingDirectory, keyof Led> {
  return {
    addCommands: async (runId, commands) => {
      const last = sql`(SELECT coalesce(max(seq), 0) FROM run_commands WHERE run_id = ${runId})`;
      const size = sql`(SELECT coalesce(sum(length(line) + length(output)), 0) FROM run_commands WHERE run_id = ${runId})`;
      const hasRoom = sql`${last} < ${recordingLimits.commands} AND ${size} < ${recordingLimits.runCharacters}`;
      const [first, ...later] = commands.map((command) => {
        const row = { ...command, runId, seq: sql`${last} + 1` };
        return (write: Parameters<Parameters<typeof statement>[1]>[0]) =>
          write.insert(runCommands).select(rowWhere(runCommands, row, hasRoom));
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
    linesOf: (runIds, limit) =>
      db
        .select({ runId: runCommands.runId, line: runCommands.line })
        .from(runCommands)
        .where(inArray(runCommands.runId, [...runIds]))
        .limit(limit),
  };
}
