// The unschedulable pods that an event moves.
import { expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Client } from "../../worker/registry/client.ts";
import { podEvent } from "../../worker/scheduler/cluster-event.ts";
import { SchedulingQueue } from "../../worker/scheduler/queue.ts";
import { moveAllToActiveOrBackoffQueue } from "../../worker/scheduler/requeue.ts";
import { aNode, aPod, attempt, onNode, pictureOf } from "./builders.ts";

/** Returns the names of two pods, rejected by NodeResourcesFit, that the deletion of a bound pod moves. */
function moved(maxPriority?: number, uidOf = (pod: Pod) => pod.metadata.uid ?? ""): string[] {
  const waiting = [aPod("low", { spec: { priority: 1 } }), aPod("high", { spec: { priority: 100 } })];
  const queue = new SchedulingQueue();
  for (const pod of waiting) queue.addUnschedulable(queue.add(pod, undefined), new Set(["NodeResourcesFit"]), 0);
  // The methods that requeueing uses.
  const client = {
    get: (_kind: unknown, _namespace: string, name: string) => {
      const pod = waiting.find((candidate) => candidate.metadata.name === name);
      return pod && { ...pod, metadata: { ...pod.metadata, uid: uidOf(pod) } };
    },
  } as unknown as Client;
  const snapshot = pictureOf([aNode("n1")]);
  const event = podEvent(undefined, onNode("n1", aPod("gone")));
  const requests = moveAllToActiveOrBackoffQueue(
    { queue, client, cycleOf: (pod) => attempt(pod, snapshot) },
    event,
    maxPriority,
  );
  return [...requests].map(({ name }) => name);
}

test("a deletion moves every pod that it may help", () => {
  expect(moved()).toEqual(["low", "high"]);
});

test("a cleared nomination moves only pods of the same or a lower priority, since only these had to respect it", () => {
  expect(moved(1)).toEqual(["low"]);
  expect(moved(0)).toEqual([]);
});

test("a new pod with the name of a waiting one is not moved", () => {
  expect(moved(undefined, ({ metadata: { name, uid = "" } }) => (name === "low" ? "another" : uid))).toEqual(["high"]);
});
