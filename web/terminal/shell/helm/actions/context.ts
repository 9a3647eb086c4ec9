// The parts that the actions on releases share: cluster, storage, clock and output.
import type { Random } from "../../../../../shared/base/random.ts";
import type { Cluster } from "../../../../kubectl/cluster/cluster.ts";
import { pathOf } from "../../../../kubectl/cluster/discovery.ts";
import { isNotFound } from "../../../../kubectl/errors.ts";
import type { Surroundings } from "../../../../kubectl/surroundings.ts";
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import type { Capabilities } from "../chart/objects.ts";
import type { Storage } from "../release/storage.ts";
import type { Waiter } from "../release/wait.ts";

export interface Context {
  readonly cluster: Cluster;
  readonly storage: Storage;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
  readonly namespace: string;
  /** Creates the same randomness for each attempt of one rendering. */
  newRandom(): Random;
  /** Writes to the error output. */
  warn(text: string): void;
  out(text: string): void;
}

export function waiterOf({ cluster, surroundings, signal }: Context, timeoutMs: number): Waiter {
  return { cluster, surroundings, signal, timeoutMs };
}

/** Returns what the cluster can do. */
export async function clusterCapabilities({ cluster }: Context): Promise<Capabilities> {
  const version = await cluster.json("/version");
  const { resources, groups } = await cluster.discovery();
  const apiVersions = new Set<string>();
  for (const { group, versions } of groups)
    for (const name of versions) apiVersions.add(group ? `${group}/${name}` : name);
  for (const { group, version: name, kind } of resources)
    apiVersions.add(`${group ? `${group}/${name}` : name}/${kind}`);
  return { kubeVersion: typeof version.gitVersion === "string" ? version.gitVersion : "", apiVersions };
}

/** Reads an object or a list of the cluster for `lookup`; a missing one is empty. */
export async function lookup(
  { cluster }: Context,
  apiVersion: string,
  kind: string,
  namespace: string,
  name: string,
): Promise<JsonObject> {
  const mapping = await cluster.kind(apiVersion, kind);
  if (!mapping) return {};
  try {
    return await cluster.json(pathOf(mapping, namespace, name));
  } catch (error) {
    if (isNotFound(error)) return {};
    throw error;
  }
}
