// The tables of lessons: their versions, which never change, and the runs of learners with their scores.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
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
    sandboxId: text("sandbox_id").notNull(),
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
    /** The number of changes. A concurrent change with the same number is rejected. */
    change: integer("change").notNull(),
  },
  (table) => [
    index("lesson_runs_by_lesson").on(table.tenantId, table.lesson, table.createdAtMs, table.id),
    index("lesson_runs_by_sandbox").on(table.sandboxId),
    index("lesson_runs_by_learner").on(table.tenantId, table.lesson, table.learner, table.createdAtMs),
    index("lesson_runs_by_age").on(table.createdAtMs),
  ],
);

export type LessonRow = typeof lessons.$inferSelect;
export type LessonRunRow = typeof lessonRuns.$inferSelect;
