// Recognizes SQLite's errors for a full disk of a local run, and for the platform's limits of an object or database.

/** Reports whether the storage is full, also for an object's error after its response, when its writes could not be committed. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error && /SQLITE_FULL|database or disk is full/.test(error.message);
}
