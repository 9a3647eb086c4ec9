// The tables of D1 about classes: a link to a lesson for many, and the seats that learners have taken by it.
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
    /** From then on nobody new gets in. */
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
    /** As the learner has given it. */
    name: text("name").notNull(),
    /** The same without what people do not tell names by: two of a class have not the same. */
    nameKey: text("name_key").notNull(),
    /** The newest run; empty: none so far. */
    run: text("run").notNull(),
    /** Runs so far. */
    runs: integer("runs").notNull(),
    /** Until then somebody is making one; 0: nobody is. */
    makingUntilMs: integer("making_until_ms").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [uniqueIndex("class_seats_by_name").on(table.classId, table.nameKey)],
);

export type ClassRow = typeof lessonClasses.$inferSelect;
export type SeatRow = typeof classSeats.$inferSelect;
