// Removes the file of a damaged Durable Object, because workerd cannot open it, and so cannot delete it.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { clustersFolderOf, databaseEndings } from "./object-files.ts";

/** Removes the file. `place`: the number of the process, a slash, and the object's id. Returns the HTTP status of the answer: see `objectFilePath`. */
export function removeDamagedObject(data: string, place: string): 204 | 404 | 409 {
  const [, process, id] = /^(\d{1,2})\/([0-9a-f]{64})$/.exec(place) ?? [];
  if (process === undefined || id === undefined) return 404;
  const database = join(clustersFolderOf(data, Number(process)), id);
  const file = `${database}.sqlite`;
  if (!existsSync(file)) return 404;
  if (!isDamaged(file)) return 409;
  for (const ending of databaseEndings) rmSync(database + ending, { force: true });
  return 204;
}

function isDamaged(file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const [row] = database.prepare("PRAGMA quick_check(1)").all();
    return row?.["quick_check"] !== "ok";
  } catch {
    return true;
  } finally {
    database?.close();
  }
}
