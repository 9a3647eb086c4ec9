// Waits for objects: until they are ready, until hooks have run, and until deleted objects are gone.
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import type { Cluster } from "../../../../kubectl/cluster/cluster.ts";
import { listAt, numberAt, objectAt, stringAt } from "../../../../kubectl/object.ts";
import type { Surroundings } from "../../../../kubectl/surroundings.ts";
import { getResource, type Resource } from "./resources.ts";

export interface Waiter {
  readonly cluster: Cluster;
  readonly surroundings: Pick<Surroundings, "clock" | "wait">;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const pollMs = 1000;

/** Calls `isDone` until it returns true. Throws `message` after the timeout. */
async function poll(waiter: Waiter, message: string, isDone: () => Promise<boolean>): Promise<void> {
  const { surroundings, signal, timeoutMs } = waiter;
  const endMs = surroundings.clock.nowMs() + timeoutMs;
  while (!(await isDone())) {
    if (surroundings.clock.nowMs() >= endMs) throw new Error(message);
    await surroundings.wait(pollMs, signal);
    if (signal.aborted) throw new Error("interrupted");
  }
}

export function waitUntilReady(waiter: Waiter, resources: readonly Resource[], withJobs: boolean): Promise<void> {
  return poll(waiter, "context deadline exceeded", async () => {
    for (const resource of resources) {
      const object = await getResource(waiter.cluster, resource);
      if (!object || !isReady(object, resource.mapping.kind, withJobs)) return false;
    }
    return true;
  });
}

function condition(object: JsonObject, type: string): string {
  return stringAt(
    listAt(object, "status", "conditions").find((item) => item.type === type),
    "status",
  );
}

function isRolledOut(object: JsonObject, ready: string): boolean {
  const status = objectAt(object, "status");
  const desired = numberAt(object, "spec", "replicas") ?? 1;
  const generation = numberAt(object, "metadata", "generation") ?? 0;
  return (numberAt(status, "observedGeneration") ?? 0) >= generation && (numberAt(status, ready) ?? 0) >= desired;
}

function isDeploymentReady(object: JsonObject): boolean {
  const desired = numberAt(object, "spec", "replicas") ?? 1;
  const status = objectAt(object, "status");
  if (object.spec && objectAt(object, "spec").paused === true) return true;
  const generation = numberAt(object, "metadata", "generation") ?? 0;
  if ((numberAt(status, "observedGeneration") ?? 0) < generation) return false;
  return (numberAt(status, "updatedReplicas") ?? 0) >= desired && (numberAt(status, "readyReplicas") ?? 0) >= desired;
}

function isStatefulSetReady(object: JsonObject): boolean {
  if (stringAt(object, "spec", "updateStrategy", "type") === "OnDelete") return true;
  const desired = numberAt(object, "spec", "replicas") ?? 1;
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  const partition = numberAt(object, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  return updated >= desired - partition && isRolledOut(object, "readyReplicas");
}

function isDaemonSetReady(object: JsonObject): boolean {
  if (stringAt(object, "spec", "updateStrategy", "type") === "OnDelete") return true;
  const status = objectAt(object, "status");
  const desired = numberAt(status, "desiredNumberScheduled") ?? 0;
  if ((numberAt(status, "observedGeneration") ?? 0) < (numberAt(object, "metadata", "generation") ?? 0)) return false;
  return (
    (numberAt(status, "updatedNumberScheduled") ?? 0) >= desired && (numberAt(status, "numberReady") ?? 0) >= desired
  );
}

function isServiceReady(object: JsonObject): boolean {
  const type = stringAt(object, "spec", "type");
  if (type === "ExternalName") return true;
  if (stringAt(object, "spec", "clusterIP") === "") return false;
  return type !== "LoadBalancer" || listAt(object, "status", "loadBalancer", "ingress").length > 0;
}

function isReady(object: JsonObject, kind: string, withJobs: boolean): boolean {
  switch (kind) {
    case "Pod":
      return condition(object, "Ready") === "True";
    case "Job":
      if (!withJobs) return true;
      if (condition(object, "Failed") === "True")
        throw new Error(
          `job is failed: ${stringAt(object, "metadata", "namespace")}/${stringAt(object, "metadata", "name")}`,
        );
      return condition(object, "Complete") === "True";
    case "Deployment":
      return isDeploymentReady(object);
    case "StatefulSet":
      return isStatefulSetReady(object);
    case "DaemonSet":
      return isDaemonSetReady(object);
    case "ReplicaSet":
    case "ReplicationController":
      return isRolledOut(object, "readyReplicas");
    case "PersistentVolumeClaim":
      return stringAt(object, "status", "phase") === "Bound";
    case "Service":
      return isServiceReady(object);
    case "CustomResourceDefinition":
      return condition(object, "Established") === "True";
    default:
      return true;
  }
}

/** Waits for the end of hooks that are Jobs or Pods. Throws if one fails. */
export async function waitForHook(waiter: Waiter, resources: readonly Resource[]): Promise<void> {
  for (const resource of resources) {
    const { kind } = resource.mapping;
    if (kind !== "Job" && kind !== "Pod") continue;
    await poll(waiter, "1 error occurred:\n\t* timed out waiting for the condition\n\n", async () => {
      const object = await getResource(waiter.cluster, resource);
      if (!object) return false;
      return kind === "Job" ? isJobDone(object, resource.name) : isPodDone(object, resource.name);
    });
  }
}

const failed = (text: string) => new Error(`1 error occurred:\n\t* ${text}\n\n`);

function isJobDone(object: JsonObject, name: string): boolean {
  const failure = listAt(object, "status", "conditions").find(
    (item) => item.type === "Failed" && item.status === "True",
  );
  if (failure) throw failed(`job ${name} failed: ${stringAt(failure, "reason")}`);
  return condition(object, "Complete") === "True";
}

function isPodDone(object: JsonObject, name: string): boolean {
  const phase = stringAt(object, "status", "phase");
  if (phase === "Failed") throw failed(`pod ${name} failed`);
  return phase === "Succeeded";
}

export function waitUntilGone(waiter: Waiter, resources: readonly Resource[]): Promise<void> {
  return poll(waiter, "context deadline exceeded", async () => {
    for (const resource of resources) if (await getResource(waiter.cluster, resource)) return false;
    return true;
  });
}

/** Returns the log of a hook's containers. */
export async function hookLogs(cluster: Cluster, resource: Resource): Promise<string> {
  const { mapping, namespace, name } = resource;
  const folder = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const query =
    mapping.kind === "Job" ? { labelSelector: `job-name=${name}` } : { fieldSelector: `metadata.name=${name}` };
  let text = "";
  for (const pod of listAt(await cluster.json(folder, { query }), "items"))
    for (const container of listAt(pod, "spec", "containers"))
      text += await cluster
        .text(`${folder}/${encodeURIComponent(stringAt(pod, "metadata", "name"))}/log`, {
          query: { container: stringAt(container, "name") },
        })
        .catch(() => "");
  return text;
}
