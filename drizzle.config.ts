// How drizzle-kit writes the migrations: `npm run migrations`. A merged migration is never edited.
import { defineConfig } from "drizzle-kit";

// drizzle-kit reads the default export.
export default defineConfig({
  dialect: "sqlite",
  schema: ["./worker/edge/db/schema.ts", "./worker/edge/db/tenant-tables.ts", "./worker/edge/db/plan-schema.ts"],
  out: "./migrations",
});
