// The tables of D1 about lessons: their versions, each a document that never changes, and the runs of learners with what they have scored.
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
    /** 1, 2, ... of each name. */
    version: integer("version").notNull(),
    title: text("title").notNull(),
    steps: integer("steps").notNull(),
    points: integer("points").notNull(),
    /** JSON; its characters are counted beside it. */
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
    /** As the teacher's system names them. */
    learner: text("learner").notNull(),
    /** The publishable key by which a visitor of somebody's page began it; empty: the teacher's system did. */
    publishableKey: text("publishable_key").notNull().default(""),
    /** The class by whose link its learner came; empty: by none. */
    classId: text("class_id").notNull().default(""),
    sandboxId: text("sandbox_id").notNull(),
    /** The step that the learner is at, beginning with 1. */
    step: integer("step").notNull(),
    /** The revision of the cluster at which it began. */
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
    /** Rises with each change: of two that are made at once one is refused. */
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
