// The reads of a copy of a cluster: the change log up to the revision at its beginning page by page, and everything else at once.
import type { Sql } from "../../store/sql.ts";
import { newestRevision } from "../../store/copy/tables.ts";
import type { Open } from "../open.ts";
import type { CopySource } from "./object-copies.ts";

/** A cluster that cannot be opened is copied, too: nothing writes to it. */
export function clusterSource(sql: Sql, current: () => Open | undefined): CopySource {
  const open = current();
  const store = open?.registry.store;
  const forgotten = store?.forgotten;
  return {
    log: { table: "changes", key: "revision", content: "value", upTo: newestRevision(sql) },
    keep: (untilMs) => {
      if (current() !== open || store?.forgotten !== forgotten) return false;
      store?.pauseCompaction(untilMs);
      return true;
    },
  };
}
