// Stores the file of a cluster's base as rows: chunks of one size, of which any range of bytes can be read.
import { must } from "../../shared/base/assert.ts";
import { first, type Sql } from "./sql.ts";

/** The size of a chunk. SQLite reads a whole chunk to return a part of it. */
const chunkBytes = 256 * 1024;

/** Replaces the stored file. */
export function writeFile(sql: Sql, bytes: Uint8Array): void {
  sql.transaction(() => {
    sql.run("CREATE TABLE IF NOT EXISTS base_file (chunk INTEGER PRIMARY KEY, value BLOB NOT NULL)");
    sql.run("DELETE FROM base_file");
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const chunk = new Uint8Array(bytes.subarray(at, at + chunkBytes));
      sql.run("INSERT INTO base_file (chunk, value) VALUES (?, ?)", at / chunkBytes, chunk);
    }
  });
}

/** Returns the bytes from one offset to another. Both must be within the file. */
export function readFile(sql: Sql, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  for (let at = from; at < to; ) {
    const [chunk, offset] = [Math.floor(at / chunkBytes), at % chunkBytes];
    const length = Math.min(chunkBytes - offset, to - at);
    const query = "SELECT substr(value, ?, ?) AS value FROM base_file WHERE chunk = ?";
    const row = must(first<{ value: ArrayBuffer }>(sql, query, offset + 1, length, chunk), "a chunk of the file");
    bytes.set(new Uint8Array(row.value), at - from);
    at += length;
  }
  return bytes;
}
