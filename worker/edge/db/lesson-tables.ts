// The tables of lessons: their versions, which never change, and the runs of learners with their scores.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { RunProgress } from "../../../shared/contract/lesson.ts";
import { tenants } from "./tenant-tables.ts";

export const lessons = sqliteTable(
  "lessons",
  {
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** The version, from 1 for each name. */
    version: integer("version").notNull(),
    title: text("title").notNull(),
    steps: integer("steps").notNull(),
    points: integer("points").notNull(),
    /** The document as JSON; its length is in another column. */
    document: text("document").notNull(),
    characters: integer("characters").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.name, table.version] })],
);

export const lessonRuns = sqliteTable(
  "lesson_runs",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    lesson: text("lesson").notNull(),
    version: integer("version").notNull(),
    /** The learner, by the name that the teacher's system uses. */
    learner: text("learner").notNull(),
    /** The publishable key by which a visitor of an embedded page started the run; empty if the teacher's system did. */
    publishableKey: text("publishable_key").notNull().default(""),
    /** The class whose link the learner used, or empty. */
    classId: text("class_id").notNull().default(""),
    /** The run's sandbox; the first one if the run has several. */
    sandboxId: text("sandbox_id").notNull(),
    /** The clusters of an exam that has several, the first of which is in `sandboxId`, too. Empty otherwise. */
    clusters: text("clusters", { mode: "json" }).$type<readonly StoredCluster[]>().notNull().default([]),
    /** True if the service grades the run when the learner's time is over. */
    isExam: integer("is_exam", { mode: "boolean" }).notNull().default(false),
    /** The learner's current step, from 1. */
    step: integer("step").notNull(),
    /** The revision of the cluster at which the step began. */
    stepRevision: integer("step_revision").notNull(),
    stepStartedMs: integer("step_started_ms").notNull().default(0),
    answer: text("answer").notNull(),
    progress: text("progress", { mode: "json" }).$type<RunProgress>().notNull(),
    points: integer("points").notNull(),
    maxPoints: integer("max_points").notNull(),
    isFinished: integer("is_finished", { mode: "boolean" }).notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    changedAtMs: integer("changed_at_ms").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** The milliseconds that the teacher added to the run's time. */
    extraMs: integer("extra_ms").notNull().default(0),
    /** The keys of the newest requests that added time, so that a repeated request adds none. */
    timeKeys: text("time_keys", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
    /** The time since which the run is paused; 0 if it is not. */
    pausedMs: integer("paused_ms").notNull().default(0),
    /** The expiry of the tokens of the lesson's users; 0 for that of the run, as in older rows. */
    tokensEndMs: integer("tokens_end_ms").notNull().default(0),
    /** The newest messages of the teacher. */
    messages: text("messages", { mode: "json" }).$type<readonly StoredMessage[]>().notNull().default([]),
    /** The learners who share the run; empty for one learner. */
    members: text("members", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
    /** The e-mail address for which the seat was reserved, or empty. */
    email: text("email").notNull().default(""),
    /** The state of the teacher's help in the learner's terminal. */
    help: text("help", { mode: "json" }).$type<StoredHelp>().notNull().default({ state: "none", lines: [] }),
    /** The number of changes. A concurrent change with the same number is rejected. */
    change: integer("change").notNull(),
  },
  (table) => [
    index("lesson_runs_by_lesson").on(table.tenantId, table.lesson, table.createdAtMs, table.id),
    index("lesson_runs_by_sandbox").on(table.sandboxId),
    index("lesson_runs_by_learner").on(table.tenantId, table.lesson, table.learner, table.createdAtMs),
    index("lesson_runs_by_age").on(table.createdAtMs),
    index("lesson_runs_with_clusters").on(table.tenantId, table.expiresAtMs).where(sql`clusters <> '[]'`),
    index("lesson_runs_ungraded").on(table.expiresAtMs).where(sql`is_exam = 1 AND is_finished = 0`),
  ],
);

/** The lines that were run in the learners' terminals. A line with much output, or that takes long, has several rows. */
export const runCommands = sqliteTable(
  "run_commands",
  {
    runId: text("run_id")
      .notNull()
      .references(() => lessonRuns.id, { onDelete: "cascade" }),
    /** The number of the row in its run, from 1. */
    seq: integer("seq").notNull(),
    /** The time at which the line was entered. */
    atMs: integer("at_ms").notNull(),
    /** The time from there to the end of this row's output. */
    tookMs: integer("took_ms").notNull(),
    /** The line; empty in the later rows of a line. */
    line: text("line").notNull(),
    output: text("output").notNull(),
    /** -1 while the line runs. */
    exitCode: integer("exit_code").notNull(),
    /** The page that recorded the row, or empty. A page sends each of its rows under a number, so that a repeated one is stored once. */
    page: text("page").notNull().default(""),
    pageSeq: integer("page_seq").notNull().default(0),
    /** The number of the line among those of its page. */
    lineNumber: integer("line_number").notNull().default(0),
    /** The characters of the run's rows up to this one. */
    characters: integer("characters").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.seq] }),
    uniqueIndex("run_commands_by_page").on(table.runId, table.page, table.pageSeq).where(sql`page <> ''`),
  ],
);

/** A cluster of an exam that has several. */
export interface StoredCluster {
  /** The name of its context. */
  readonly name: string;
  readonly sandboxId: string;
  /** The revision at which the exam began. */
  readonly revision: number;
}

export interface StoredMessage {
  readonly id: string;
  readonly atMs: number;
  readonly text: string;
}

/** The teacher asks to join a terminal, the learner allows it, and the lines of the teacher wait for that terminal. */
export interface StoredHelp {
  readonly state: "none" | "asked" | "joined";
  /** The terminal whose user allowed it. Absent or empty without one. */
  readonly terminal?: string;
  readonly lines: readonly StoredHelpLine[];
  /** The number of the newest line. Absent in older rows. */
  readonly seq?: number;
  /** Counts changes. A change that is based on another number is rejected. */
  readonly change?: number;
}

export interface StoredHelpLine {
  readonly id: string;
  /** The number of the line in its run, from 1. Absent in older rows. */
  readonly seq?: number;
  /** The line, or empty for an interrupt (Ctrl-C). */
  readonly text: string;
}

export type RunCommandRow = typeof runCommands.$inferSelect;
export type LessonRow = typeof lessons.$inferSelect;
export type LessonRunRow = typeof lessonRuns.$inferSelect;
