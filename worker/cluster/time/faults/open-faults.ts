// The faults of a cluster that is being opened: their engine, and the controller that runs them.
import type { Controller } from "../../../runtime/controller.ts";
import type { Sql } from "../../../store/sql.ts";
import type { Cluster } from "../../cluster.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import { stopControllers } from "./effects.ts";
import type { NodeFaults } from "../../../kubelet/node-faults.ts";
import { FaultEngine } from "./engine.ts";
import { isRenewalDue } from "./fault-record.ts";
import { FaultyNodes } from "./faulty-nodes.ts";
import { FaultyWebhooks } from "./faulty-webhooks.ts";
import { faultController, faultTimer } from "./timer.ts";

export interface OpenedFaults {
  readonly faults: FaultEngine;
  readonly controller: Controller;
  readonly nodes: NodeFaults;
  readonly webhooks: FaultyWebhooks;
  /** Resumes stored faults once the cluster is open. */
  resume(): void;
}

export interface FaultsHost {
  readonly sql: Sql;
  clock(): ClusterClock;
  cluster(): Cluster;
  /** Called after each injection. */
  injected(): void;
}

export function openFaults({ sql, clock, cluster, injected }: FaultsHost): OpenedFaults {
  const wake = () => cluster().runtime.request(faultController, { namespace: "", name: "faults" });
  const faults = new FaultEngine({
    sql,
    registry: () => cluster().registry,
    wake,
    injected,
  });
  return {
    faults,
    nodes: new FaultyNodes(faults),
    webhooks: new FaultyWebhooks(faults),
    controller: faultTimer(faults, () => ({
      store: cluster().registry.store,
      clock: clock(),
      runtime: cluster().runtime,
    })),
    resume: () => {
      faults.open();
      stopControllers(faults, cluster().runtime);
      if (isRenewalDue(sql)) wake();
    },
  };
}
