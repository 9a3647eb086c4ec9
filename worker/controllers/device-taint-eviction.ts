// The device taint eviction controller: deletes pods whose claims do not tolerate a NoExecute taint of their devices, or no longer.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from "../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { claimNamesOf, isReservedFor, usesClaims } from "../kinds/resource/pod-claims.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { resourceClaims } from "../kinds/resource/resource-claim.ts";
import { resourceSlices } from "../kinds/resource/resource-slice.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../runtime/controller.ts";
import { updatePodCondition } from "./common/pod-condition.ts";

interface Memory {
  /** The uids of pods that are about to be evicted, whose cancellation is recorded as an event. Losing it loses only that event. */
  readonly leaving: Set<string>;
}

export const deviceTaintEviction = defineController({
  name: "device-taint-eviction-controller",
  component: "device-taint-eviction",
  memory: (): Memory => ({ leaving: new Set() }),
  watches: [
    watch<ResourceSlice>(resourceSlices, function* (next, previous, client): Generator<Request> {
      if (semanticEqual(taintsOf(next), taintsOf(previous))) return;
      const { driver, pool } = (next ?? previous)?.spec ?? {};
      for (const claim of client.each(resourceClaims)) {
        const results = claim.status.allocation?.devices.results ?? [];
        if (results.some((allocated) => allocated.driver === driver && allocated.pool === pool?.name))
          yield* usersOf(claim);
      }
    }),
    watch<ResourceClaim>(resourceClaims, function* (next, _, client) {
      if (next?.status.allocation && claimEvictionTimeMs(next, client) !== undefined) yield* usersOf(next);
    }),
    watch<Pod, Memory>(pods, function* (next, previous, _client, { leaving }) {
      if (!next) leaving.delete(previous?.metadata.uid ?? "");
      else if (usesClaims(next) && !semanticEqual(placeOf(next), placeOf(previous))) yield requestOf(next);
    }),
  ],
  reconcile({ namespace, name }, context) {
    const pod = context.client.get(pods, namespace, name);
    if (!pod?.spec.nodeName || pod.metadata.deletionTimestamp) return undefined;
    const { leaving } = context.memory;
    const uid = pod.metadata.uid ?? "";
    const atMs = podEvictionTimeMs(pod, context.client);
    if (atMs === undefined) {
      if (leaving.delete(uid)) context.event(pod, "Normal", "DeviceTaintManagerEviction", "Cancelling deletion");
      return undefined;
    }
    leaving.add(uid);
    if (atMs > context.nowMs) return { afterMs: atMs - context.nowMs };
    evict(pod, context);
    return undefined;
  },
});

function placeOf(pod: Pod | undefined) {
  return [pod?.spec.nodeName, pod?.status.resourceClaimStatuses];
}

function* usersOf({ metadata, status }: ResourceClaim): Generator<Request> {
  for (const { apiGroup, resource, name } of status.reservedFor ?? []) {
    if (!apiGroup && resource === "pods") yield { namespace: metadata.namespace ?? "", name };
  }
}

/** Returns the NoExecute taints by device. */
function taintsOf(slice: ResourceSlice | undefined): readonly [string, readonly DeviceTaint[]][] {
  return (slice?.spec.devices ?? []).flatMap(({ name, taints }): [string, readonly DeviceTaint[]][] => {
    const executing = (taints ?? []).filter(({ effect }) => effect === "NoExecute");
    return executing.length > 0 ? [[name, executing]] : [];
  });
}

/** Returns the earliest eviction time of its claims. */
function podEvictionTimeMs(pod: Pod, client: Client): number | undefined {
  const times = claimNamesOf(pod).flatMap((name) => {
    const claim = client.get(resourceClaims, pod.metadata.namespace ?? "", name);
    return claim && isReservedFor(claim, pod) ? [claimEvictionTimeMs(claim, client)] : [];
  });
  return earliest(times);
}

function claimEvictionTimeMs({ status }: ResourceClaim, client: Client): number | undefined {
  const results = status.allocation?.devices.results ?? [];
  return earliest(
    results.flatMap((result) => deviceTaints(result, client).map((taint) => leaveMs(taint, result.tolerations))),
  );
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const finiteTimes = times.filter((time) => time !== undefined);
  return finiteTimes.length > 0 ? Math.min(...finiteTimes) : undefined;
}

/** Returns the taints of a device in the newest generation of its pool. */
function deviceTaints({ driver, pool, device }: DeviceRequestAllocationResult, client: Client): readonly DeviceTaint[] {
  const slices = client.list(resourceSlices).filter(({ spec }) => spec.driver === driver && spec.pool.name === pool);
  const newest = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  return slices
    .filter(({ spec }) => spec.pool.generation === newest)
    .flatMap(taintsOf)
    .flatMap(([name, taints]) => (name === device ? taints : []));
}

/** Returns when a claim with these tolerations must leave a device with this taint, if ever. */
function leaveMs(taint: DeviceTaint, tolerations: readonly DeviceToleration[] = []): number | undefined {
  const addedMs = taint.timeAdded ? parseTime(taint.timeAdded) : 0;
  const matching = tolerations.filter(
    (toleration) => toleration.effect === "NoExecute" && toleratesTaint(toleration, taint),
  );
  if (matching.length === 0) return addedMs;
  if (matching.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return undefined;
  const seconds = Math.min(...matching.map(({ tolerationSeconds = 0 }) => Math.max(tolerationSeconds, 0)));
  return addedMs + seconds * 1000;
}

function toleratesTaint({ key, operator, value, effect }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === "Exists" || (value ?? "") === (taint.value ?? "");
}

function evict(pod: Pod, { client, nowMs, event }: ReconcileContext): void {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  event(pod, "Normal", "DeviceTaintManagerEviction", "Marking for deletion");
  const condition = {
    type: "DisruptionTarget",
    status: "True" as const,
    reason: "DeletionByDeviceTaintManager",
    message: "Device Taint manager: deleting due to NoExecute taint",
  };
  const conditions = [...updatePodCondition(pod.status.conditions, condition, nowMs)];
  client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } });
  client.tryDelete(pods, namespace, name, { uid });
}
