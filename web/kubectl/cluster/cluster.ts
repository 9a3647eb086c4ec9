// The cluster as commands see it: requests and discovery. Discovery is repeated once if a resource is not found.
import { type Client, type ClientOptions, newClient } from "./client.ts";
import { type Discovery, type Mapping, discover, findKind, findResource } from "./discovery.ts";

/** The last discovery of the cluster, shared by successive command lines. */
export interface DiscoveryCache {
  cached?: Promise<Discovery> | undefined;
}

export interface Cluster extends Client {
  discovery(): Promise<Discovery>;
  /** Throws if the server has no such resource. */
  resource(argument: string): Promise<Mapping>;
  /** Returns undefined if the server does not serve the kind. */
  kind(apiVersion: string, kind: string): Promise<Mapping | undefined>;
  /** Discards the cached discovery, because the served resources may have changed. */
  forget(): void;
}

export function newCluster(options: ClientOptions, cache: DiscoveryCache): Cluster {
  const client = newClient(options);
  const discovery = () => {
    cache.cached ??= discover(client).catch((error: unknown) => {
      cache.cached = undefined;
      throw error;
    });
    return cache.cached;
  };
  const forget = () => {
    cache.cached = undefined;
  };
  const twice = async (find: (served: Discovery) => Mapping | undefined) => {
    const isKept = cache.cached !== undefined;
    const mapping = find(await discovery());
    if (mapping || !isKept) return mapping;
    forget();
    return find(await discovery());
  };
  return {
    ...client,
    discovery,
    forget,
    kind: (apiVersion, kind) => twice((served) => findKind(served, apiVersion, kind)),
    resource: async (argument) => {
      const mapping = await twice((served) => findResource(served, argument));
      if (mapping) return mapping;
      throw new Error(`the server doesn't have a resource type ${JSON.stringify(argument.split(".")[0] ?? "")}`);
    },
  };
}
