// A cluster of a few controllers alone, without admission, opened over the same tables as often as a test asks.
import { SteppedClock } from "../../shared/base/clock.ts";
import { must } from "../../shared/base/assert.ts";
import { seededRandom } from "../../shared/base/random.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import { type Cluster, openCluster } from "../../worker/cluster/cluster.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { AdmissionPlugin } from "../../worker/registry/admission.ts";
import type { Controller } from "../../worker/runtime/controller.ts";
import { createTables } from "../../worker/store/tables.ts";
import { drainCarefully } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

export const namespace = "default";

export function newBed(controllers: readonly Controller[], plugins: readonly AdmissionPlugin[] = []) {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  const reports: { readonly error: unknown; readonly where: string }[] = [];
  const report = (error: unknown, where: string) => void reports.push({ error, where });
  const open = (those: readonly Controller[]): Cluster =>
    openCluster({ sql, clock, random: seededRandom(1), kinds, plugins, controllers: those, report });
  let cluster = open(controllers);
  return {
    sql,
    clock,
    reports,
    /** The cluster as it is open now. */
    now: () => cluster,
    /** As after an eviction; by default with the same controllers. */
    reopen: (those = controllers) => {
      cluster = open(those);
    },
    create: <T extends KubeObject>(kind: Kind<T>, name: string, more: Partial<Draft<T>> = {}): T =>
      cluster.system.create(kind, { ...more, metadata: { name, namespace, ...more.metadata } } as Draft<T>),
    /** A change of no meaning. */
    touch: (name: string) => {
      const found = must(cluster.system.get(configMaps, namespace, name), name);
      cluster.system.update(configMaps, { ...found, data: { touched: found.metadata.resourceVersion ?? "" } });
    },
    remove: <T extends KubeObject>(kind: Kind<T>, name: string) => cluster.system.delete(kind, namespace, name),
    /** As the alarm does it: what is to be done carefully, then all that is due. */
    drain: (budget = 100) => {
      drainCarefully(cluster);
      return cluster.runtime.drain(budget);
    },
    /** Cuts all of the log. */
    compact: () => cluster.registry.store.compact(cluster.registry.store.revision),
  };
}
