// The limits of copies of stored data: backups, restores and exports.

const MiB = 1024 * 1024;

export const copyLimits = {
  /** The characters of a page of an object's copy, beyond which no further row is added. */
  pageCharacters: MiB,
  /** The characters of all rows that are read in the first turn, which stay in memory until the copy is complete. */
  heldCharacters: 64 * MiB,
  /** The rows that one query reads. */
  rows: 500,
  /** The milliseconds after a page for which the change log is not compacted, and another copy cannot begin. */
  pauseMs: 60_000,
  /** The rows of a table of D1 in one page, and the rows that one request restores. */
  databaseRows: 250,
  restoredRows: 500,
  /** The characters of a name of a table, a column, an object or a file. */
  nameCharacters: 256,
  /** The columns of a table. */
  columns: 100,
  /** The bytes of a page that restores an object: the longest row, and a page. */
  restoredPageBytes: 16 * MiB,
  /** The files in one page of the list of files. */
  files: 500,
} as const;
