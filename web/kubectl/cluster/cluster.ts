// The cluster as commands see it: requests, and what it serves, asked once and again where something was not found.
import { type Client, type ClientOptions, newClient } from "./client.ts";
import { type Discovery, type Mapping, discover, findKind, findResource } from "./discovery.ts";

/** What it served when last asked; kept from one command line to the next. */
export interface DiscoveryCache {
  found?: Promise<Discovery> | undefined;
}

export interface Cluster extends Client {
  discovery(): Promise<Discovery>;
  /** Throws where the server has no such resource. */
  resource(argument: string): Promise<Mapping>;
  /** Undefined where it serves none. */
  kind(apiVersion: string, kind: string): Promise<Mapping | undefined>;
  /** What it serves may have changed. */
  forget(): void;
}

export function newCluster(options: ClientOptions, cache: DiscoveryCache): Cluster {
  const client = newClient(options);
  const discovery = () => {
    cache.found ??= discover(client).catch((error: unknown) => {
      cache.found = undefined;
      throw error;
    });
    return cache.found;
  };
  const forget = () => {
    cache.found = undefined;
  };
  const twice = async (find: (served: Discovery) => Mapping | undefined) => {
    const isKept = cache.found !== undefined;
    const found = find(await discovery());
    if (found || !isKept) return found;
    forget();
    return find(await discovery());
  };
  return {
    ...client,
    discovery,
    forget,
    kind: (apiVersion, kind) => twice((served) => findKind(served, apiVersion, kind)),
    resource: async (argument) => {
      const found = await twice((served) => findResource(served, argument));
      if (found) return found;
      throw new Error(`the server doesn't have a resource type ${JSON.stringify(argument.split(".")[0] ?? "")}`);
    },
  };
}
