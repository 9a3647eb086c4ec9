// How SQLite says that there is no room left: on the disk of a local run, or within what the platform lets an object or a database hold.

/** Also of an error that comes from an object: its write failed as it was to be kept, after the object had answered. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error && /SQLITE_FULL|database or disk is full/.test(error.message);
}
