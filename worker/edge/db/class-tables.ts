// The tables of classes: a link to a lesson, and the seats that learners have taken.
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { tenants } from "./tenant-tables.ts";

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
