// The operator's copies of a service: of its databases, files and objects, for backups and restores.
import * as z from "zod";
import { copyLimits } from "../../base/share-limits.ts";

const name = z.string().min(1).max(copyLimits.nameCharacters);

/** A value of a row. Bytes are base64. */
const cell = z.union([z.string(), z.number(), z.null(), z.strictObject({ bytes: z.base64() })]);

export type Cell = z.output<typeof cell>;

const tableRows = z.strictObject({
  table: name,
  columns: z.array(name).min(1).max(copyLimits.columns),
  rows: z.array(z.array(cell).max(copyLimits.columns)).max(copyLimits.restoredRows),
});

export const copiedRows = tableRows.extend({
  /** The row id after which the next page of the table begins. Absent on the last page. */
  after: z.int().optional(),
});

export type CopiedRows = z.output<typeof copiedRows>;

const database = z.coerce.number().int().min(0).max(9).default(0).describe("The number of the database, from 0.");

/** Response of `GET /v1/admin/copy`. */
export const copyFacts = z.object({
  /** Texts that follow from the values of the service's secret. A copy is restored only into a service that has the same values. */
  secrets: z.array(z.string()),
  /** The tables of each database with their rows. A table comes after those that it refers to. */
  databases: z.array(z.array(z.object({ table: z.string(), rows: z.int() }))),
});

export type CopyFacts = z.output<typeof copyFacts>;

/** Query of `GET /v1/admin/copy/rows`: with `table`, a page of it; without, the first pages of all tables at one moment. */
export const copyRowsQuery = z.strictObject({
  database,
  table: name.optional(),
  after: z.coerce.number().int().min(-1).default(-1).describe("The `after` of the page before."),
});

export const copiedTables = z.object({ tables: z.array(copiedRows) });

export type CopiedTables = z.output<typeof copiedTables>;

/** Body of `POST /v1/admin/copy/rows`. */
export const restoreRows = tableRows.extend({ database: z.int().min(0).max(9).default(0) });

export const restoredRows = z.object({ rows: z.int() });

/** Query of `GET /v1/admin/copy/files`. */
export const copyFilesQuery = z.strictObject({
  cursor: z.string().max(2_000).optional().describe("The `nextCursor` of the page before; absent: the first page."),
});

export const copiedFiles = z.object({ files: z.array(z.string()), nextCursor: z.string().optional() });

/** Query of `GET` and `PUT /v1/admin/copy/file`. */
export const copyFileQuery = z.strictObject({ key: name.describe("The file, `<tenant>/<id>`.") });

export const copiedKinds = ["clusters", "tenants"] as const;

/** Query of `GET` and `POST /v1/admin/copy/objects`. */
export const copyObjectQuery = z.strictObject({
  kind: z.enum(copiedKinds).describe("Whether it is the object of a sandbox or of an organisation."),
  id: name.describe("The sandbox or the organisation."),
  session: z.string().max(64).optional().describe("The `session` of the page before; absent: the first page."),
});

/** A page of lines of an object's tables, as they were at one moment. */
export const copiedObject = z.object({ session: z.string(), text: z.string(), isLast: z.boolean() });

export type CopiedObject = z.output<typeof copiedObject>;

/** The media type of a page that restores an object. */
export const objectPageType = "application/x-ndjson";

export const restoredObject = z.object({ session: z.string(), isComplete: z.boolean() });

/** Response of `GET /v1/admin/tenants/{tenant}/stored`. */
export const storedData = z.object({
  /** The rows of each table that has any, of all databases together. */
  rows: z.record(z.string(), z.int()),
  files: z.int(),
  /** The rows of the organisation's object. */
  objectRows: z.int(),
});

export type StoredData = z.output<typeof storedData>;

/** Response of `GET /v1/admin/deletions/{tenant}`. */
export const deletionReport = z.object({
  tenant: z.string(),
  requestedAt: z.iso.datetime(),
  /** Absent until the deletion is complete. */
  finishedAt: z.iso.datetime().optional(),
  before: storedData,
  /** The counts that were read after the deletion. */
  after: storedData.optional(),
  /** The deleted sandboxes whose objects were read afterwards, and the rows that were found in them. */
  sandboxesRead: z.int(),
  sandboxRowsLeft: z.int(),
});

export type DeletionReport = z.output<typeof deletionReport>;
