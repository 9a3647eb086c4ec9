// Ensures that one service uses a data folder: SQLite holds the operating system's lock on a file, which ends with the process in any case.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readIfThere, writePrivate } from "./private-file.ts";
import { Refusal } from "./refusal.ts";

/** Open databases. They are referenced for the life of the process, because garbage collection would release the lock. */
const lockDatabases: DatabaseSync[] = [];

/** Locks a folder. Throws a `Refusal` that names the folder and the process that holds the lock. */
export function lockFolder(data: string): void {
  const database = new DatabaseSync(join(data, "lock"));
  try {
    // Nothing is ever written to this database, which is only locked.
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    const pid = readIfThere(join(data, "pid"));
    const holder = pid ? `process ${pid}` : "another process";
    throw new Refusal(`The data folder ${data} is in use by ${holder}: stop it, or set SANDBAR_DATA to another.`);
  }
  lockDatabases.push(database);
  writePrivate(join(data, "pid"), `${process.pid}\n`);
}

/** Reports whether a running service uses a folder. */
export function isFolderLocked(data: string): boolean {
  const database = new DatabaseSync(join(data, "lock"));
  try {
    database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  // SQLITE_BUSY
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
