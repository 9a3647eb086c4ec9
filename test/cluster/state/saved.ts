// States of test clusters: how a file is had from one, and how another begins with it.
import type { Clock } from "../../../shared/base/clock.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import type { Cluster } from "../../../worker/cluster/cluster.ts";
import { putState } from "../../../worker/cluster/state/put.ts";
import { savingState } from "../../../worker/cluster/state/save.ts";
import { tokenKey } from "../../../worker/cluster/token-key.ts";
import type { Sql } from "../../../worker/store/sql.ts";
import { createTables } from "../../../worker/store/tables.ts";
import { testBase } from "../../base.ts";

export const { certificates } = testBase(0);

/** Saves the current state or that of a revision. `between` is called between the parts. */
export function savedState(
  cluster: Pick<Cluster, "registry"> & { readonly runtime: Pick<Cluster["runtime"], "waiting"> },
  sql: Sql,
  revision?: number,
  between: () => void = () => undefined,
): Uint8Array<ArrayBuffer> {
  const steps = savingState({ sql, cluster, certificates, revision });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    between();
  }
}

/** Puts a state into a database. `revision`: the revision of the replaced cluster; undefined for a new cluster. */
export function put(
  sql: Sql,
  clock: Clock,
  file: Uint8Array,
  ownCertificates: StateCertificates = certificates,
  revision?: number,
) {
  createTables(sql);
  const { sign } = tokenKey(sql);
  putState({ sql, clock, file, certificates: ownCertificates, sign, ...(revision === undefined ? {} : { revision }) });
}
