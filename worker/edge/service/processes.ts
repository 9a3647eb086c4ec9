// Finds the Durable Object of a sandbox's cluster. On the platform all clusters are in one namespace. A local service can run several
// processes, each with a namespace of its own: see `scripts/local/processes.ts`.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import { limits } from "../../../shared/base/limits.ts";
import { type SecretBindings, secretOf } from "../../../shared/base/secret.ts";
import { inJurisdiction, type PlaceBindings } from "../../../shared/contract/hosted/object-place.ts";
import { processOf, processPath } from "../../../shared/contract/hosted/processes.ts";
import type { Env } from "../../env.ts";
import { newSandboxId, type SandboxIdFacts } from "../sandbox-id.ts";

type ProcessBindings = PlaceBindings &
  Pick<Env, "CLUSTERS" | "SANDBAR_PROCESSES" | "SANDBAR_PROCESS" | `CLUSTERS_${number}`>;

/** Creates a stub for each request, because a stub belongs to one request. The id is computed once for each name. */
export function clusterOf(env: ProcessBindings) {
  const ids = new BoundedCache<string, DurableObjectId>(limits.keptAdmissions);
  const options = placeOptions(env);
  return (name: string) => {
    const namespace = namespaceOf(env, name);
    const cached = ids.get(name);
    if (cached) return namespace.get(cached, options);
    const id = namespace.idFromName(name);
    ids.set(name, id);
    return namespace.get(id, options);
  };
}

/** Returns the process of a sandbox and the hexadecimal id of its object there. */
export function placeOfObject(
  env: ProcessBindings,
  name: string,
): { readonly process: number; readonly objectId: string } {
  return {
    process: processOf(name, processesIn(env)),
    objectId: namespaceOf(env, name).idFromName(name).toString(),
  };
}

/** The attempts to reach a process that was just started, and the milliseconds between them. */
const reachAttempts = 200;
const reachMs = 50;

/** The process of the next sandbox. */
let nextProcess = 0;

/**
 * Returns the id of a new sandbox, and starts the process that will hold it. The processes take turns, so a service with one sandbox runs
 * one process.
 */
export async function newPlacedId(
  env: ProcessBindings & SecretBindings & Pick<Env, "OUTSIDE">,
  facts: SandboxIdFacts,
): Promise<string> {
  const processes = processesIn(env);
  const process = nextProcess++ % processes;
  const secret = secretOf(env);
  let id = await newSandboxId(secret, facts);
  while (processOf(id, processes) !== process) id = await newSandboxId(secret, facts);
  if (process !== Number(env.SANDBAR_PROCESS || 0)) {
    const answer = await env.OUTSIDE?.fetch(`http://node${processPath}${process}`);
    await answer?.body?.cancel();
    await reach(clusterOf(env), id);
  }
  return id;
}

/** Waits until Miniflare, which learns of a new process some moments after it serves, connects to it. */
async function reach(cluster: ReturnType<typeof clusterOf>, id: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await cluster(id).health();
      return;
    } catch (error) {
      if (attempt === reachAttempts) throw error;
      await new Promise((done) => setTimeout(done, reachMs));
    }
  }
}

/** Returns a name whose object the first process holds, which always runs. */
export function probeNameOf(env: Pick<Env, "SANDBAR_PROCESSES">): string {
  let name = "status";
  while (processOf(name, processesIn(env)) !== 0) name += "-";
  return name;
}

function processesIn({ SANDBAR_PROCESSES: count }: Pick<Env, "SANDBAR_PROCESSES">): number {
  return Number(count || 1);
}

function namespaceOf(env: ProcessBindings, name: string): Env["CLUSTERS"] {
  const process = processOf(name, processesIn(env));
  return inJurisdiction((process === 0 ? undefined : env[`CLUSTERS_${process}`]) ?? env.CLUSTERS, env);
}

/** Returns the options with which an object is created. They have no effect on an existing one. */
export function placeOptions({
  SANDBAR_LOCATION: location,
}: PlaceBindings): DurableObjectNamespaceGetDurableObjectOptions {
  return location ? { locationHint: location as DurableObjectLocationHint } : {};
}
