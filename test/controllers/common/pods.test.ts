// Pod hash, readiness, deletion order and slow start.
import { describe, expect, test } from "vitest";
import { podsToDelete } from "../../../worker/controllers/replica-set/active-pods-ranking.ts";
import { computeHash } from "../../../worker/controllers/common/pod-hash.ts";
import { isPodAvailable, findMinNextPodAvailabilityCheckMs } from "../../../worker/controllers/common/pod-ready.ts";
import { slowStartBatch } from "../../../worker/controllers/common/slow-start.ts";
import { pod, startMs, template } from "../builders.ts";

describe("the pod-template-hash", () => {
  test("is equal for equal templates, whatever the order of keys", () => {
    const { metadata, spec } = template();
    expect(computeHash({ spec, metadata }, undefined)).toBe(computeHash(template(), undefined));
  });
  test("differs for another template and after a collision", () => {
    const hashes = [
      computeHash(template("a"), undefined),
      computeHash(template("b"), undefined),
      computeHash(template("a"), 0),
      computeHash(template("a"), 1),
    ];
    expect(new Set(hashes).size).toBe(4);
    for (const hash of hashes) expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });
});

describe("availability", () => {
  const ready = pod("a", { ready: "2026-01-01T00:00:00Z" });
  test("a ready pod is available after minReadySeconds, not before", () => {
    expect(isPodAvailable(ready, 0, startMs)).toBe(true);
    expect(isPodAvailable(ready, 10, startMs + 9_999)).toBe(false);
    expect(isPodAvailable(ready, 10, startMs + 10_000)).toBe(true);
    expect(isPodAvailable(pod("b"), 0, startMs)).toBe(false);
  });
  test("the next check is when the first pod becomes available", () => {
    const later = pod("b", { ready: "2026-01-01T00:00:05Z" });
    expect(findMinNextPodAvailabilityCheckMs([later, ready], 10, startMs + 4_000)).toBe(6_000);
    expect(findMinNextPodAvailabilityCheckMs([later, ready], 10, startMs + 11_000)).toBe(4_000);
    expect(findMinNextPodAvailabilityCheckMs([later, ready], 10, startMs + 20_000)).toBeUndefined();
    expect(findMinNextPodAvailabilityCheckMs([ready], 0, startMs)).toBeUndefined();
  });
});

describe("deletion order by a single rule", () => {
  const ready = "2026-01-01T00:00:00Z";
  const nowMs = startMs + 3_600_000;
  const cost = (value: string) => ({
    metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": value } },
    ready,
  });
  const restarted = (restartCount: number, name = "web") => ({
    name,
    restartCount,
    ready: true,
    state: {},
    lastState: {},
    image: "",
    imageID: "",
  });
  const cases: [string, ReturnType<typeof pod>, ReturnType<typeof pod>][] = [
    [
      "unassigned before assigned",
      pod("a", { spec: { nodeName: "" }, ready }),
      pod("b", { status: { phase: "Pending" } }),
    ],
    ["pending before unknown", pod("a", { status: { phase: "Pending" } }), pod("b", { status: { phase: "Unknown" } })],
    ["unknown before running", pod("a", { status: { phase: "Unknown" } }), pod("b")],
    ["not ready before ready, at any cost", pod("a", { metadata: cost("9").metadata }), pod("b", cost("-9"))],
    ["cheaper before dearer", pod("a", cost("-5")), pod("b", { ready })],
    ["a broken cost counts as none", pod("a", cost("-1")), pod("b", cost("+9"))],
    ["ready for a short time before long", pod("a", { ready: "2026-01-01T00:59:00Z" }), pod("b", { ready })],
    [
      "more restarts before fewer",
      pod("a", { status: { containerStatuses: [restarted(2)] } }),
      pod("b", { status: { containerStatuses: [restarted(1)] } }),
    ],
    [
      "younger before older",
      pod("a", { metadata: { creationTimestamp: "2026-01-01T00:59:00Z" } }),
      pod("b", { metadata: { creationTimestamp: "2026-01-01T00:00:00Z" } }),
    ],
    [
      "by uid at about the same age",
      pod("a", { metadata: { uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" } }),
      pod("b", { metadata: { uid: "2", creationTimestamp: "2026-01-01T00:00:01Z" } }),
    ],
  ];
  test.each(cases)("%s", (_rule, first, second) => {
    expect(podsToDelete([first, second], [], 1, nowMs)).toEqual([first]);
    expect(podsToDelete([second, first], [], 1, nowMs)).toEqual([first]);
  });
  test("a pod that shares its node with related pods is deleted before one that does not", () => {
    const alone = pod("a", { ready, spec: { nodeName: "node-1" } });
    const crowded = pod("b", { ready, spec: { nodeName: "node-2" } });
    const neighbour = pod("c", { ready, spec: { nodeName: "node-2" } });
    const ended = pod("d", { status: { phase: "Failed" }, spec: { nodeName: "node-1" } });
    const gone = pod("e", { status: { phase: "Succeeded" }, spec: { nodeName: "node-1" } });
    const related = [alone, crowded, neighbour, ended, gone];
    expect(podsToDelete([alone, crowded], related, 1, nowMs)).toEqual([crowded]);
  });
});

describe("slow start", () => {
  const attempts = (count: number, failing: (at: number) => boolean) => {
    let createdCount = 0;
    const failure = slowStartBatch(count, () => (failing(createdCount++) ? `failed ${createdCount}` : undefined));
    return { made: createdCount, failure };
  };
  test("performs all attempts if none fails", () => {
    expect(attempts(100, () => false)).toEqual({ made: 100, failure: undefined });
    expect(attempts(0, () => true)).toEqual({ made: 0, failure: undefined });
  });
  test("stops after the first failure", () => {
    expect(attempts(100, () => true)).toEqual({ made: 1, failure: "failed 1" });
  });
  test("completes the batch of a failure, and starts no other", () => {
    // Batches of 1, 2, 4, 8: the fifth attempt is in the third batch.
    expect(attempts(100, (at) => at === 4)).toEqual({ made: 7, failure: "failed 5" });
  });
});
