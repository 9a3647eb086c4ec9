// How drizzle-kit writes the migrations: `npm run migrations`. A merged migration is never edited.
// drizzle-kit compares the schema with the newest snapshot in migrations/meta, so older snapshots are deleted.
import { defineConfig } from "drizzle-kit";

// drizzle-kit reads the default export.
export default defineConfig({
  dialect: "sqlite",
  schema: [
    "schema",
    "tenant-tables",
    "identity-tables",
    "lesson-tables",
    "class-tables",
    "plan-schema",
    "embed-tables",
    "lti-tables",
  ].map((name) => `./worker/edge/db/${name}.ts`),
  out: "./migrations",
});
