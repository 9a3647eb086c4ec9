// Refusals in the place of SQLite's errors: of a write for which there is no room, and of a file that is damaged.
import { isDamage, unusableObjectIn } from "../../shared/k8s/bounds/unusable-object.ts";
import { isStorageFull } from "../../shared/base/storage-full.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Sql } from "./sql.ts";

/**
 * Wraps SQLite: if it is full, or `isShort` says that it soon will be, writes throw an `ApiError`, and reads go on. If its file is damaged,
 * whatever comes upon the damage throws an `UnusableObjectError`.
 */
export function refusingFull(sql: Sql, isShort: () => boolean = () => false): Sql {
  const told = <T>(body: () => T): T => {
    try {
      return body();
    } catch (error) {
      if (isStorageFull(error)) throw ApiError.insufficientStorage();
      throw isDamage(error) ? (unusableObjectIn(error) ?? error) : error;
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
