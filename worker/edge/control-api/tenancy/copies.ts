// Copies of everything that the service stores, for the operator's backups: rows of D1, files, and objects. A copy is restored into an empty
// service: an object or a file is written only while D1 does not know it, so the rows of D1 are restored last.
import type * as z from "zod";
import { copyLimits } from "../../../../shared/base/share-limits.ts";
import { secretValues } from "../../../../shared/base/secret.ts";
import { errorCodes } from "../../../../shared/contract/error.ts";
import type {
  CopiedObject,
  CopiedTables,
  CopyFacts,
  copyObjectQuery,
  copyRowsQuery,
  restoreRows as rowsToRestore,
} from "../../../../shared/contract/hosted/copy.ts";
import type { CopyFailure, ObjectCopyRpc } from "../../../../shared/contract/hosted/object-copy.ts";
import { type DatabaseCopy, UnknownTable } from "../../db/copy.ts";
import { idOfSecret } from "../../tokens.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";

type ObjectQuery = z.output<typeof copyObjectQuery>;

export async function copyFacts({ databases, secret }: ControlApiServer): Promise<CopyFacts> {
  return {
    secrets: await Promise.all(secretValues(secret).map((value) => idOfSecret(value))),
    databases: await Promise.all(databases.map((database) => database.counts())),
  };
}

export async function copyRows(
  controlApi: ControlApiServer,
  { database, table, after }: z.output<typeof copyRowsQuery>,
): Promise<CopiedTables> {
  const tables = await databaseAt(controlApi, database).read(table === undefined ? undefined : { table, after });
  if (table !== undefined && tables.length === 0) throw invalidField("table", "there is no such table");
  return { tables };
}

export async function restoreRows(
  controlApi: ControlApiServer,
  { database, table, columns, rows }: z.output<typeof rowsToRestore>,
): Promise<{ rows: number }> {
  if (rows.some((row) => row.length !== columns.length))
    throw invalidField("rows", "each row must have a value for each column");
  try {
    const isNew = await databaseAt(controlApi, database).write({ table, columns, rows });
    if (!isNew) throw notEmpty(`table ${table} has rows with the same keys`);
    return { rows: rows.length };
  } catch (error) {
    if (error instanceof UnknownTable) throw invalidField("table", error.message);
    throw error;
  }
}

export async function copyFiles({ files }: ControlApiServer, cursor: string | undefined) {
  const page = await files.list(copyLimits.files, cursor);
  return {
    files: page.files.map(({ key }) => key),
    ...(page.cursor === undefined ? {} : { nextCursor: page.cursor }),
  };
}

export async function copyFile({ files }: ControlApiServer, key: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await files.get(key);
  if (!bytes) throw new ControlError(404, "not_found", "there is no such file");
  return bytes;
}

export async function restoreFile(controlApi: ControlApiServer, key: string, bytes: Uint8Array): Promise<void> {
  const [tenant = ""] = key.split("/", 1);
  await requireUnknown(controlApi, { kind: "tenants", id: tenant });
  await controlApi.files.put(key, bytes);
}

export async function copyObject(controlApi: ControlApiServer, query: ObjectQuery): Promise<CopiedObject> {
  const page = await objectOf(controlApi, query).copyPage(query.session);
  if (!page.ok) throw copyError(page);
  const { session, text, isLast } = page;
  return { session, text, isLast };
}

export async function restoreObject(controlApi: ControlApiServer, query: ObjectQuery, bytes: Uint8Array) {
  if (bytes.byteLength > copyLimits.restoredPageBytes)
    throw new ControlError(413, "body_too_large", `a page must not exceed ${copyLimits.restoredPageBytes} bytes`);
  await requireUnknown(controlApi, query);
  const received = await objectOf(controlApi, query).restorePage(query.session, new TextDecoder().decode(bytes));
  if (!received.ok) throw copyError(received);
  return { session: received.session, isComplete: received.isComplete };
}

function databaseAt({ databases }: ControlApiServer, at: number): DatabaseCopy {
  const database = databases[at];
  if (!database) throw invalidField("database", `the service has ${databases.length} databases`);
  return database;
}

function objectOf(controlApi: ControlApiServer, { kind, id }: ObjectQuery): ObjectCopyRpc {
  return kind === "clusters" ? controlApi.cluster(id) : controlApi.tenant(id);
}

async function requireUnknown(
  { directory, plans }: ControlApiServer,
  { kind, id }: Pick<ObjectQuery, "kind" | "id">,
): Promise<void> {
  const owner = kind === "clusters" ? await directory.tenantOf(id) : await plans.tenant(id);
  if (owner !== undefined) throw notEmpty(`the service has rows of ${id}`);
}

function notEmpty(why: string): ControlError {
  return new ControlError(409, "not_empty", `${why}: restore into an empty service`);
}

function copyError({ code, message }: { readonly code: CopyFailure; readonly message: string }): ControlError {
  return new ControlError(errorCodes[code].status, code, message);
}
