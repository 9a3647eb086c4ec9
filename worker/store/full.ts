// What becomes of a write for which there is no room: a refusal like any other, in the place of SQLite's error.
import { isStorageFull } from "../../shared/base/storage-full.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Sql } from "./sql.ts";

/** The same SQLite; where it is full, or `isShort` says that it soon will be, writes throw an `ApiError`, and reads go on. */
export function refusingFull(sql: Sql, isShort: () => boolean = () => false): Sql {
  const told = <T>(body: () => T): T => {
    try {
      return body();
    } catch (error) {
      throw isStorageFull(error) ? ApiError.insufficientStorage() : error;
    }
  };
  return {
    run: (query, ...params) => {
      if (isShort()) throw ApiError.insufficientStorage();
      told(() => sql.run(query, ...params));
    },
    all: (query, ...params) => told(() => sql.all(query, ...params)),
    // Of nested ones the innermost tells.
    transaction: (body) => told(() => sql.transaction(body)),
    rowsWritten: () => sql.rowsWritten(),
  };
}

/** Whether it is that refusal. */
export function isRefusedAsFull(error: unknown): boolean {
  return error instanceof ApiError && error.code === 507;
}
