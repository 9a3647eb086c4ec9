// The meter of one object: what it counts by, and whom it reports to.
import { inJurisdiction } from "../../../shared/contract/hosted/object-place.ts";
import type { SandboxStart } from "../../../shared/contract/tenant-object.ts";
import { flushMetrics } from "../../metrics/record.ts";
import type { ClusterEnv } from "../env.ts";
import { notReadyIn } from "../bootstrap/readiness.ts";
import type { DurableSql } from "../do-sql.ts";
import type { Open } from "../open.ts";
import { UsageMeter } from "./usage-meter.ts";

export interface Metered {
  readonly state: DurableObjectState;
  readonly env: ClusterEnv;
  readonly sql: DurableSql;
  /** Returns the open cluster. */
  open(): Open | undefined;
}

export function meterOf({ state, env, sql, open }: Metered): UsageMeter {
  return new UsageMeter({
    // Of one that was made before tenants were told, nobody.
    reportsTo: () => {
      const to = open()?.reportsTo;
      const { TENANTS: tenants } = env;
      if (!to || !tenants) return undefined;
      const tenant = () => {
        // A report keeps the object awake in any case, so the counts of its isolate are sent with it.
        state.waitUntil(flushMetrics(env.METRICS && inJurisdiction(env.METRICS, env), Date.now()));
        return inJurisdiction(tenants, env).getByName(to.tenant);
      };
      return { tenant, id: to.sandbox };
    },
    nowMs: Date.now,
    rowsRead: () => sql.rowsRead(),
    rowsWritten: () => sql.rowsWritten(),
    bytes: () => state.storage.sql.databaseSize,
    isReady: () => isReady(open()),
    wait: (ms) => scheduler.wait(ms),
    waitUntil: (promise) => state.waitUntil(promise),
  });
}

/** Returns what the tenant records of a new cluster. */
export function startOf(open: Open | undefined): SandboxStart {
  return { isReady: isReady(open), isPaused: open?.clock.state === "paused" };
}

function isReady(open: Open | undefined): boolean {
  return open !== undefined && notReadyIn(open.system).length === 0;
}
