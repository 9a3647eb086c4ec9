// The tables of classes: a link to a lesson, and the seats that learners have taken.
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { tenants } from "../tenant-tables.ts";

export const lessonClasses = sqliteTable(
  "lesson_classes",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    lesson: text("lesson").notNull(),
    title: text("title").notNull(),
    seats: integer("seats").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** The time after which the link accepts no new learners. */
    expiresAtMs: integer("expires_at_ms").notNull(),
    /** The time at which all runs end; 0 for none. */
    deadlineMs: integer("deadline_ms").notNull().default(0),
    /** The keys of the newest requests that added time, so that a repeated request moves the deadline once. */
    timeKeys: text("time_keys", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
    /** The time since which the class is paused; 0 if it is not. */
    pausedMs: integer("paused_ms").notNull().default(0),
    /** The number of learners who share a sandbox; 1 for none. */
    teamSize: integer("team_size").notNull().default(1),
    /** True if only learners with a reserved seat join. */
    isListedOnly: integer("is_listed_only", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("lesson_classes_by_lesson").on(table.tenantId, table.lesson, table.createdAtMs),
    index("lesson_classes_by_end").on(table.expiresAtMs),
  ],
);

export const classSeats = sqliteTable(
  "class_seats",
  {
    id: text("id").primaryKey(),
    classId: text("class_id")
      .notNull()
      .references(() => lessonClasses.id, { onDelete: "cascade" }),
    /** The name that the learner entered. */
    name: text("name").notNull(),
    /** The normalized name, which is unique in a class. */
    nameKey: text("name_key").notNull(),
    /** The e-mail address for which the teacher reserved the seat, or empty. */
    email: text("email").notNull().default(""),
    /** The team's name, and its normalized form, or empty. */
    team: text("team").notNull().default(""),
    teamKey: text("team_key").notNull().default(""),
    /** The newest run, or empty. */
    run: text("run").notNull(),
    /** The number of runs so far. */
    runs: integer("runs").notNull(),
    /** The time until which a request holds the creation of a run; 0 if no request does. */
    makingUntilMs: integer("making_until_ms").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [uniqueIndex("class_seats_by_name").on(table.classId, table.nameKey)],
);

export type ClassRow = typeof lessonClasses.$inferSelect;
export type SeatRow = typeof classSeats.$inferSelect;
