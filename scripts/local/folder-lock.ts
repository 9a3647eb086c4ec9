// One service on a data folder: the operating system's lock on a file in it, taken by SQLite, which ends with the process however it ends.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readIfThere, writePrivate } from "./private-file.ts";
import { Refusal } from "./refusal.ts";

/** Kept for the process's life: what is collected would let go of its lock. */
const held: DatabaseSync[] = [];

/** Throws a `Refusal` that names the folder and the process that has it. */
export function lockFolder(data: string): void {
  const database = new DatabaseSync(join(data, "lock"));
  try {
    // Nothing is ever written to it: the lock is all there is.
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    const pid = readIfThere(join(data, "pid"));
    const holder = pid ? `process ${pid}` : "another process";
    throw new Refusal(`The data folder ${data} is in use by ${holder}: stop it, or set SANDBAR_DATA to another.`);
  }
  held.push(database);
  writePrivate(join(data, "pid"), `${process.pid}\n`);
}

function isBusy(error: unknown): boolean {
  // SQLITE_BUSY
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
