// The computations of a rolling update against upstream's tables (deployment_util_test.go, rolling_test.go, sync_test.go).
import { describe, expect, test } from "vitest";
import {
  proportionalSizes,
  maxSurge,
  maxUnavailable,
  newRSNewReplicas,
  scaleDownOldSets,
} from "../../../worker/controllers/deployment/rolling.ts";
import { deployment, replicaSet } from "../builders.ts";

describe("the bounds of a rollout", () => {
  test.each([
    { replicas: 10, maxSurge: "25%", maxUnavailable: "25%", surge: 3, unavailable: 2 },
    { replicas: 1, maxSurge: "25%", maxUnavailable: "25%", surge: 1, unavailable: 0 },
    { replicas: 2, maxSurge: 0, maxUnavailable: "1%", surge: 0, unavailable: 1 },
    { replicas: 3, maxSurge: 0, maxUnavailable: 5, surge: 0, unavailable: 3 },
    { replicas: 0, maxSurge: 1, maxUnavailable: 1, surge: 1, unavailable: 0 },
  ])("surge rounds up, unavailability down, and not both to 0: %o", (row) => {
    expect([maxSurge(deployment(row)), maxUnavailable(deployment(row))]).toEqual([row.surge, row.unavailable]);
  });

  test("Recreate has neither surge nor unavailability", () => {
    const recreating = deployment({ replicas: 4, recreate: true });
    expect([maxSurge(recreating), maxUnavailable(recreating)]).toEqual([0, 0]);
  });
});

describe("growth of the new ReplicaSet within the bounds", () => {
  test.each([
    { replicas: 10, maxSurge: 0, current: 0, total: 10, next: 0 },
    { replicas: 10, maxSurge: 2, current: 0, total: 10, next: 2 },
    { replicas: 10, maxSurge: 5, current: 5, total: 5, next: 10 },
    { replicas: 10, maxSurge: 2, current: 2, total: 12, next: 2 },
    { replicas: 6, maxSurge: 0, current: 0, total: 10, next: 0 },
    { replicas: 1, maxSurge: "100%", current: 0, total: 0, next: 1 },
  ])("%o", ({ current, total, next, ...options }) => {
    expect(newRSNewReplicas(deployment(options), current, total)).toBe(next);
  });

  test("Recreate creates all pods at once", () => {
    expect(newRSNewReplicas(deployment({ replicas: 4, recreate: true }), 0, 0)).toBe(4);
  });
});

describe("shrinking of old ReplicaSets", () => {
  const sizes = (steps: readonly { name: string; replicas: number }[]) =>
    steps.map((scaling) => [scaling.name, scaling.replicas]);

  test.each([
    // Enough new pods are available.
    { unavailable: 0, oldAvailable: 10, newSize: 0, newAvailable: 0, old: 10, want: [] },
    { unavailable: 2, oldAvailable: 10, newSize: 0, newAvailable: 0, old: 10, want: [["old", 8]] },
    // Unhealthy pods are deleted first, the rest as availability allows.
    { unavailable: 2, oldAvailable: 8, newSize: 0, newAvailable: 0, old: 10, want: [["old", 8]] },
    {
      unavailable: 2,
      oldAvailable: 9,
      newSize: 0,
      newAvailable: 0,
      old: 10,
      want: [
        ["old", 9],
        ["old", 8],
      ],
    },
    { unavailable: 2, oldAvailable: 8, newSize: 2, newAvailable: 0, old: 8, want: [] },
  ])("%o", ({ unavailable, oldAvailable, newSize, newAvailable, old, want }) => {
    const owner = deployment({ replicas: 10, maxUnavailable: unavailable, maxSurge: 2 });
    const oldSet = replicaSet("old", old, { availableReplicas: oldAvailable });
    const newSet = replicaSet("new", newSize, { availableReplicas: newAvailable });
    expect(sizes(scaleDownOldSets(owner, newSet, [oldSet]))).toEqual(want);
  });

  test("shrinks the oldest first", () => {
    const owner = deployment({ replicas: 4, maxUnavailable: 3, maxSurge: 0 });
    const newer = replicaSet("a", 2, { availableReplicas: 2 }, { creationTimestamp: "2026-01-01T00:00:09Z" });
    const older = replicaSet("z", 2, { availableReplicas: 2 });
    const steps = scaleDownOldSets(owner, replicaSet("new", 0), [newer, older]);
    expect(sizes(steps)).toEqual([
      ["z", 0],
      ["a", 1],
    ]);
  });

  test("pods that a ReplicaSet is about to delete do not count as available", () => {
    const owner = deployment({ replicas: 10, maxUnavailable: 2, maxSurge: 3 });
    const oldSet = replicaSet("old", 5, { availableReplicas: 8 });
    const newSet = replicaSet("new", 5, { availableReplicas: 5 });
    expect(sizes(scaleDownOldSets(owner, newSet, [oldSet]))).toEqual([["old", 3]]);
  });
});

describe("proportional scaling during a rollout", () => {
  const scaled = (replicas: number, before: number, sets: readonly [string, number, string?][], maxSurge = 0) => {
    const owner = deployment({ replicas, maxSurge, maxUnavailable: 1 });
    const list = sets.map(([name, size, creationTimestamp = "2026-01-01T00:00:00Z"]) =>
      replicaSet(
        name,
        size,
        {},
        {
          creationTimestamp,
          annotations: { "deployment.kubernetes.io/max-replicas": String(before) },
        },
      ),
    );
    return Object.fromEntries(proportionalSizes(owner, list).map(({ name, replicas: size }) => [name, size]));
  };
  const early = "2026-01-01T00:00:00Z";
  const late = "2026-01-01T00:01:00Z";

  test("from 10 to 12 grows both equally", () => {
    expect(
      scaled(12, 10, [
        ["new", 5, late],
        ["old", 5, early],
      ]),
    ).toEqual({ new: 6, old: 6 });
  });
  test("from 5 to 10 with 9 and 1 gives the rounding remainder to the largest", () => {
    expect(
      scaled(20, 10, [
        ["new", 5, late],
        ["old-1", 3, early],
        ["old-2", 2, early],
      ]),
    ).toEqual({
      new: 10,
      "old-1": 6,
      "old-2": 4,
    });
  });
  test("up by one grows the newer of two equals", () => {
    expect(
      scaled(11, 10, [
        ["new", 5, late],
        ["old", 5, early],
      ]),
    ).toEqual({ new: 6, old: 5 });
  });
  test("down by one shrinks the older of two equals", () => {
    expect(
      scaled(9, 10, [
        ["new", 5, late],
        ["old", 5, early],
      ]),
    ).toEqual({ new: 5, old: 4 });
  });
  test("down to 0 removes all replicas", () => {
    expect(
      scaled(0, 10, [
        ["new", 7, late],
        ["old", 3, early],
      ]),
    ).toEqual({ new: 0, old: 0 });
  });
  test("with surge grows from 10 + 3 to 20 + 6", () => {
    const owner = deployment({ replicas: 20, maxSurge: "30%", maxUnavailable: 1 });
    const mark = { annotations: { "deployment.kubernetes.io/max-replicas": "13" } };
    const sizes = proportionalSizes(owner, [replicaSet("new", 5, {}, mark), replicaSet("old", 8, {}, mark)]);
    expect(sizes).toEqual([
      { name: "old", replicas: 16 },
      { name: "new", replicas: 10 },
    ]);
  });
});
