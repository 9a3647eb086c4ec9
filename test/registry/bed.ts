// A registry on node:sqlite with kinds that tests define, for tests of the steps of a write.
import { newestRelease } from "../../shared/k8s/settings/release.ts";
import { defaultFeatures } from "../../shared/k8s/settings/feature-gates.ts";
import { defaultNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { SteppedClock } from "../../shared/base/clock.ts";
import { seededRandom } from "../../shared/base/random.ts";
import type { ConfigMap, Node } from "../../shared/k8s/api/core-v1.ts";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { type Behaviour, defineKind, type Kind } from "../../worker/kinds/kind.ts";
import { Catalogue } from "../../worker/registry/catalogue.ts";
import { create } from "../../worker/registry/create.ts";
import { remove, type RemoveOptions } from "../../worker/registry/delete.ts";
import type { Actor, Registry, WriteOptions } from "../../worker/registry/registry.ts";
import { update, type UpdateOptions } from "../../worker/registry/update.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { Change } from "../../worker/store/change.ts";
import { Store, type Write } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { allowAll } from "../access/allow-all.ts";
import { nodeSql } from "../sqlite.ts";

export const actor: Actor = { user: { name: "ann", groups: ["developers"] }, origin: "test", manager: "kubectl" };

/** Returns a namespaced kind with a status and a `/scale`, without behavior by default. */
export function deploymentKind(behaviour: Partial<Behaviour<Deployment>> = {}): Kind<Deployment> {
  return defineKind<Deployment>("apps", "v1", "deployments", { columns: [], ...behaviour });
}

/** Returns a namespaced kind without a status. */
export function configMapKind(behaviour: Partial<Behaviour<ConfigMap>> = {}): Kind<ConfigMap> {
  return defineKind<ConfigMap>("", "v1", "configmaps", { columns: [], ...behaviour });
}

/** Returns a cluster-scoped kind with a status. */
export function nodeKind(behaviour: Partial<Behaviour<Node>> = {}): Kind<Node> {
  return defineKind<Node>("", "v1", "nodes", { columns: [], ...behaviour });
}

export interface Bed {
  registry: Registry;
  readonly clock: SteppedClock;
  readonly changes: readonly Change[];
  /** The writes to the store, in order. */
  readonly writes: readonly Write[];
  readonly warnings: readonly string[];
  create<T extends KubeObject>(kind: Kind<T>, value: unknown, options?: WriteOptions): T;
  /** Updates a changed copy of the stored object. */
  edit<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    change: (draft: T) => void,
    options?: UpdateOptions<T> & { readonly subresource?: string; readonly actor?: Actor },
  ): T;
  remove(kind: Kind, name: string, query?: DeleteQuery, options?: RemoveOptions): ReturnType<typeof remove>;
  get<T extends KubeObject>(kind: Kind<T>, name: string): T | undefined;
}

export function newBed(kinds: readonly Kind[], overrides: Partial<Registry> = {}): Bed {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  const store = overrides.store ?? new Store(sql, clock);
  const registry: Registry = {
    store,
    catalogue: new Catalogue(kinds),
    plugins: () => [],
    clock,
    random: seededRandom(1),
    network: defaultNetwork,
    features: defaultFeatures,
    release: newestRelease,
    authorizer: allowAll,
    ...overrides,
  };
  const changes: Change[] = [];
  store.onChange((change) => changes.push(change));
  const writes: Write[] = [];
  const commit = store.commit.bind(store);
  store.commit = (write) => {
    writes.push(write);
    return commit(write);
  };
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const namespaceOf = (kind: Kind) => (kind.namespaced ? "default" : "");
  const get: Bed["get"] = <T extends KubeObject>(kind: Kind<T>, name: string) =>
    // The store holds an object of this kind.
    store.get({ resource: kind.resource, namespace: namespaceOf(kind), name }) as T | undefined;
  return {
    registry,
    clock,
    changes,
    writes,
    warnings,
    get,
    create: (kind, value, options = {}) =>
      create(registry, kind, namespaceOf(kind as Kind), draftOf(kind, value), actor, { warn, ...options }),
    edit: (kind, name, change, { subresource = "", actor: by = actor, ...options } = {}) => {
      const draft = structuredClone(get(kind, name));
      if (!draft) throw new Error(`${name} is not there`);
      change(draft);
      const target = { namespace: namespaceOf(kind), name, subresource };
      return update(registry, kind, target, draft, by, { warn, ...options });
    },
    remove: (kind, name, query = {}, options = {}) =>
      remove(registry, kind, namespaceOf(kind), name, query, actor, { warn, ...options }),
  };
}

/** Decodes an object of a kind. */
export function draftOf<T extends KubeObject>(kind: Kind<T>, value: unknown): T {
  // Decoding by the kind's type returns objects of the kind.
  return kind.schema.decode(value).object as T;
}

/** Returns code, reason and message of the error of a write, which must fail. */
export function refusal(write: () => unknown): readonly [code: number, reason: string, message: string] {
  try {
    write();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.reason, error.message];
    throw error;
  }
  throw new Error("it was not refused");
}
