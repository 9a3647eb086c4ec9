// A runtime over a registry of a few kinds, without admission and the rest of a cluster, that can be opened again over the same tables.
import { newestRelease } from "../../shared/k8s/settings/release.ts";
import { defaultFeatures } from "../../shared/k8s/settings/feature-gates.ts";
import { defaultNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { must } from "../../shared/base/assert.ts";
import { SteppedClock } from "../../shared/base/clock.ts";
import { seededRandom } from "../../shared/base/random.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import { PendingCalls } from "../../shared/k8s/outbound-call.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { AdmissionPlugin } from "../../worker/registry/admission.ts";
import { Catalogue } from "../../worker/registry/catalogue.ts";
import type { Client } from "../../worker/registry/client.ts";
import { localClient } from "../../worker/registry/local-client.ts";
import type { Registry } from "../../worker/registry/registry.ts";
import type { Controller } from "../../worker/runtime/controller.ts";
import { Runtime, type RuntimeOptions } from "../../worker/runtime/runtime.ts";
import type { Sql } from "../../worker/store/sql.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { allowAll } from "../access/allow-all.ts";
import { nodeSql } from "../sqlite.ts";
import { drainCarefully } from "./careful-run.ts";

export const namespace = "default";

export interface Opened {
  readonly registry: Registry;
  readonly runtime: Runtime;
  readonly system: Client;
}

interface OpenOptions extends Pick<RuntimeOptions, "controllers" | "report"> {
  readonly sql: Sql;
  readonly clock: SteppedClock;
  readonly plugins?: readonly AdmissionPlugin[];
}

/** Opens a runtime over existing tables. */
export function openRuntime({ sql, clock, controllers, report, plugins = [] }: OpenOptions): Opened {
  const registry: Registry = {
    store: new Store(sql, clock),
    catalogue: new Catalogue([configMaps, events, namespaces, secrets, serviceAccounts]),
    authorizer: allowAll,
    plugins: () => plugins,
    clock,
    random: seededRandom(1),
    network: defaultNetwork,
    features: defaultFeatures,
    release: newestRelease,
    ask: (calls) => {
      throw new PendingCalls(calls);
    },
  };
  const user = { name: "system:apiserver", groups: ["system:masters"] };
  const system = localClient(registry, { actor: () => ({ user, origin: "test", manager: "test" }) });
  return { registry, system, runtime: new Runtime({ sql, registry, controllers, events, report }) };
}

export function newBed(controllers: readonly Controller[], plugins: readonly AdmissionPlugin[] = []) {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  const reports: { readonly error: unknown; readonly where: string }[] = [];
  const report = (error: unknown, where: string) => void reports.push({ error, where });
  const open = (those: readonly Controller[]) => openRuntime({ sql, clock, plugins, controllers: those, report });
  let opened = open(controllers);
  return {
    sql,
    clock,
    reports,
    /** Returns the currently opened runtime. */
    now: () => opened,
    /** Opens the runtime again as after an eviction, by default with the same controllers. */
    reopen: (those = controllers) => {
      opened = open(those);
    },
    create: <T extends KubeObject>(kind: Kind<T>, name: string, more: Partial<Draft<T>> = {}): T =>
      opened.system.create(kind, { ...more, metadata: { name, namespace, ...more.metadata } } as Draft<T>),
    /** Makes a change without meaning. */
    touch: (name: string) => {
      const configMap = must(opened.system.get(configMaps, namespace, name), name);
      opened.system.update(configMaps, { ...configMap, data: { touched: configMap.metadata.resourceVersion ?? "" } });
    },
    remove: <T extends KubeObject>(kind: Kind<T>, name: string) => opened.system.delete(kind, namespace, name),
    /** Runs as the alarm does: careful requests, then all due requests, up to a budget. */
    drain: (budget = 100) => {
      drainCarefully(opened);
      return opened.runtime.drain(budget);
    },
    /** Drains until nothing is due. */
    settle: () => {
      drainCarefully(opened);
      while (opened.runtime.drain(100) > 0);
    },
    /** Compacts the whole log. */
    compact: () => opened.registry.store.compact(opened.registry.store.revision),
  };
}
