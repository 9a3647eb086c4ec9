// Removes the file of a damaged Durable Object, because workerd cannot open it, and so cannot delete it.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Miniflare's folder of the sandboxes' objects, below the data folder. */
const objectsFolder = "state/do/sandbar-ClusterObject";

/** Removes the file. Returns the HTTP status of the answer: see `objectFilePath`. */
export function removeDamagedObject(data: string, id: string): 204 | 404 | 409 {
  if (!/^[0-9a-f]{64}$/.test(id)) return 404;
  const file = join(data, objectsFolder, `${id}.sqlite`);
  if (!existsSync(file)) return 404;
  if (!isDamaged(file)) return 409;
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
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
