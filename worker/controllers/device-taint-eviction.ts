// The device taint eviction controller: pods leave devices with a NoExecute taint that their claims do not bear, or no longer.
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
  /** Uids of pods that are to be evicted: an event says when that is cancelled. Losing it costs that event. */
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
        if (results.some((one) => one.driver === driver && one.pool === pool?.name)) yield* usersOf(claim);
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

/** By device, those that drive pods away. */
function taintsOf(slice: ResourceSlice | undefined): readonly [string, readonly DeviceTaint[]][] {
  return (slice?.spec.devices ?? []).flatMap(({ name, taints }): [string, readonly DeviceTaint[]][] => {
    const executing = (taints ?? []).filter(({ effect }) => effect === "NoExecute");
    return executing.length > 0 ? [[name, executing]] : [];
  });
}

/** The earliest of its claims. */
function podEvictionTimeMs(pod: Pod, client: Client): number | undefined {
  const times = claimNamesOf(pod).flatMap((name) => {
    const claim = client.get(resourceClaims, pod.metadata.namespace ?? "", name);
    return claim && isReservedFor(claim, pod) ? [claimEvictionTimeMs(claim, client)] : [];
  });
  return earliest(times);
}

function claimEvictionTimeMs({ status }: ResourceClaim, client: Client): number | undefined {
  const results = status.allocation?.devices.results ?? [];
  return earliest(results.flatMap((one) => deviceTaints(one, client).map((taint) => leaveMs(taint, one.tolerations))));
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((one) => one !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Of the slices of a pool's newest generation. */
function deviceTaints({ driver, pool, device }: DeviceRequestAllocationResult, client: Client): readonly DeviceTaint[] {
  const slices = client.list(resourceSlices).filter(({ spec }) => spec.driver === driver && spec.pool.name === pool);
  const newest = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  return slices
    .filter(({ spec }) => spec.pool.generation === newest)
    .flatMap(taintsOf)
    .flatMap(([name, taints]) => (name === device ? taints : []));
}

/** When a claim with these tolerations has to leave a device with this taint, if ever. */
function leaveMs(taint: DeviceTaint, tolerations: readonly DeviceToleration[] = []): number | undefined {
  const addedMs = taint.timeAdded ? parseTime(taint.timeAdded) : 0;
  const borne = tolerations.filter((one) => one.effect === "NoExecute" && toleratesTaint(one, taint));
  if (borne.length === 0) return addedMs;
  if (borne.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return undefined;
  const seconds = Math.min(...borne.map(({ tolerationSeconds = 0 }) => Math.max(tolerationSeconds, 0)));
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
