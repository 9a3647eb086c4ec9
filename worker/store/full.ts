// Translates errors of SQLite: a full disk and a damaged file.
import { isDamage, unusableObjectIn } from "../../shared/k8s/bounds/unusable-object.ts";
import { isStorageFull } from "../../shared/base/disk/storage-full.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Sql } from "./sql.ts";

/**
 * Wraps SQLite. If it is full, or `isShort` reports that it is about to be, writes throw an `ApiError` and reads continue. If the file is
 * damaged, a statement that reaches the damage throws an `UnusableObjectError`.
 */
export function refusingFull(sql: Sql, isShort: () => boolean = () => false): Sql {
  const translated = <T>(body: () => T): T => {
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
      translated(() => sql.run(query, ...params));
    },
    all: (query, ...params) => translated(() => sql.all(query, ...params)),
    // In nested transactions the innermost one translates the error.
    transaction: (body) => translated(() => sql.transaction(body)),
    rowsWritten: () => sql.rowsWritten(),
  };
}

/** Reports whether an error is the refusal of a write to a full disk. */
export function isRefusedAsFull(error: unknown): boolean {
  return error instanceof ApiError && error.code === 507;
}
