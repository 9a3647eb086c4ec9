// The backoff queue of the scheduler: the pod that leaves it early while the active queue is empty.
import { describe, expect, test } from "vitest";
import { type QueuedPodInfo, SchedulingQueue } from "../../worker/scheduler/queue.ts";
import { aPod } from "./builders.ts";

interface Attempts {
  readonly priority?: number;
  /** The numbers of attempts that found no node, and that failed with an error. */
  readonly unschedulable?: number;
  readonly errors?: number;
  readonly atMs?: number;
}

/** Returns a queue in which these pods back off, by name. */
function backingOff(pods: Readonly<Record<string, Attempts>>) {
  const queue = new SchedulingQueue();
  const entries = new Map<string, QueuedPodInfo>();
  for (const [name, { priority = 0, unschedulable = 0, errors = 0, atMs = 0 }] of Object.entries(pods)) {
    const entry = queue.add(aPod(name, { spec: { priority } }), undefined);
    for (let time = 0; time < unschedulable; time++) queue.addUnschedulable(entry, new Set(), atMs);
    for (let time = 0; time < errors; time++) queue.addAfterError(entry, atMs);
    queue.moveToActiveOrBackoffQueue(entry);
    entries.set(name, entry);
  }
  const next = (name: string, nowMs: number) => {
    const entry = entries.get(name);
    if (!entry) throw new Error(`no pod ${name}`);
    return queue.next(entry, nowMs)?.name;
  };
  return { next };
}

describe("the pod that leaves the backoff queue early", () => {
  test("has the earliest end of its backoff, in any order of arrival", () => {
    const ends = { early: { unschedulable: 1 }, late: { unschedulable: 3 }, middle: { unschedulable: 2 } };
    const orders = [["late", "middle", "early"] as const, ["early", "late", "middle"] as const];
    for (const order of orders) {
      const { next } = backingOff(Object.fromEntries(order.map((name) => [name, ends[name]])));
      expect(next("late", 0)).toBe("early");
    }
  });

  test("has the higher priority within the same second, then the earlier failure", () => {
    const waits = { unschedulable: 2 };
    const pods = { first: waits, second: waits, high: { ...waits, priority: 9 } };
    expect(backingOff(pods).next("first", 0)).toBe("high");
    expect(backingOff({ first: waits, second: waits }).next("second", 0)).toBe("first");
  });

  test("never had an error, even if it is the only one or the first that is due", () => {
    const { next } = backingOff({ failed: { errors: 1, priority: 9 } });
    expect([next("failed", 0), next("failed", 999), next("failed", 1000)]).toEqual([undefined, undefined, "failed"]);
    const pods = { failed: { errors: 1, priority: 9 }, waiting: { unschedulable: 3 } };
    expect(backingOff(pods).next("failed", 0)).toBe("waiting");
  });

  test("does not exist while more than a hundred pods back off", () => {
    const pods = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { unschedulable: 2 }]));
    expect(backingOff(pods(100)).next("p7", 0)).toBe("p0");
    expect(backingOff(pods(101)).next("p7", 0)).toBe(undefined);
  });
});
