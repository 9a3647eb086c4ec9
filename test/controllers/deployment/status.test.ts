// The status of a Deployment and the progress of its rollout.
import { defaultFeatures } from "../../../shared/k8s/settings/feature-gates.ts";
import { describe, expect, test } from "vitest";
import type { Deployment } from "../../../shared/k8s/api/apps-v1.ts";
import { progressCheckMs, rolloutStatus } from "../../../worker/controllers/deployment/progress.ts";
import { condition, conditionOf, calculateStatus } from "../../../worker/controllers/deployment/status.ts";
import { deployment, replicaSet, startMs } from "../builders.ts";

const counts = (replicas: number, availableReplicas = replicas) => ({
  replicas,
  readyReplicas: availableReplicas,
  availableReplicas,
  terminatingReplicas: 0,
  observedGeneration: 1,
});

/** Computes the next status after `nowMs` from the current ReplicaSets. */
function judged(owner: Deployment, newCounts: object, oldCounts: object, nowMs = startMs) {
  const newSet = replicaSet("new", 3, newCounts);
  const oldSets = [replicaSet("old", 0, oldCounts)];
  return rolloutStatus(owner, calculateStatus(owner, newSet, oldSets, nowMs, defaultFeatures), newSet, oldSets, nowMs);
}

const created = condition("Progressing", "True", "NewReplicaSetCreated", "", startMs);

describe("counts", () => {
  test("are sums over all ReplicaSets, except updated, which is the new one's", () => {
    const status = calculateStatus(
      deployment({ replicas: 3 }),
      replicaSet("new", 2, counts(2, 1)),
      [replicaSet("old", 2, counts(2))],
      startMs,
      defaultFeatures,
    );
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
      terminatingReplicas: 0,
    });
  });
  test("terminating is unknown while a ReplicaSet does not report it", () => {
    const silent = replicaSet("old", 1, { observedGeneration: 1 });
    const unseen = replicaSet("new", 1);
    expect(calculateStatus(deployment(), unseen, [silent], startMs, defaultFeatures)).not.toHaveProperty(
      "terminatingReplicas",
    );
    expect(calculateStatus(deployment(), unseen, [], startMs, defaultFeatures)).toHaveProperty(
      "terminatingReplicas",
      0,
    );
  });
  test("available means that no more are missing than may be unavailable", () => {
    const available = (have: number) =>
      conditionOf(
        calculateStatus(
          deployment({ replicas: 4 }),
          replicaSet("new", 4, counts(4, have)),
          [],
          startMs,
          defaultFeatures,
        ),
        "Available",
      );
    expect(available(3)).toMatchObject({ status: "True", reason: "MinimumReplicasAvailable" });
    expect(available(2)).toMatchObject({
      status: "False",
      reason: "MinimumReplicasUnavailable",
      message: "Deployment does not have minimum availability.",
    });
  });
});

describe("progress", () => {
  const rolling = (status: Deployment["status"]) => deployment({ replicas: 3, status });

  test("is complete with NewReplicaSetAvailable, and has nothing to wait for", () => {
    const owner = rolling({ conditions: [created] });
    const status = judged(owner, counts(3), counts(0));
    expect(conditionOf(status, "Progressing")).toMatchObject({
      status: "True",
      reason: "NewReplicaSetAvailable",
      message: 'ReplicaSet "new" has successfully progressed.',
    });
    expect(progressCheckMs({ ...owner, status }, status, startMs)).toBeUndefined();
  });
  test("changes the update time with a new pod, and not the transition time", () => {
    const status = judged(rolling({ conditions: [created] }), counts(1, 0), counts(3), startMs + 5_000);
    expect(conditionOf(status, "Progressing")).toEqual({
      type: "Progressing",
      status: "True",
      reason: "ReplicaSetUpdated",
      message: 'ReplicaSet "new" is progressing.',
      lastUpdateTime: "2026-01-01T00:00:05Z",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
  });
  test("times out at the deadline, and is checked at the right time", () => {
    const owner = rolling({ ...counts(3, 2), updatedReplicas: 3, conditions: [created] });
    const early = judged(owner, counts(3, 2), counts(0), startMs + 600_000);
    expect(conditionOf(early, "Progressing")?.reason).toBe("NewReplicaSetCreated");
    expect(progressCheckMs(owner, early, startMs + 100_000)).toBe(501_000);
    const late = judged(owner, counts(3, 2), counts(0), startMs + 601_000);
    expect(conditionOf(late, "Progressing")).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: 'ReplicaSet "new" has timed out progressing.',
    });
    expect(progressCheckMs({ ...owner, status: late }, late, startMs + 601_000)).toBeUndefined();
  });
  test("a completed rollout is not reevaluated when pods are lost later", () => {
    const done = condition("Progressing", "True", "NewReplicaSetAvailable", "", startMs);
    const owner = rolling({ ...counts(3), updatedReplicas: 3, conditions: [done] });
    const status = judged(owner, counts(3, 1), counts(0), startMs + 9_000_000);
    expect(conditionOf(status, "Progressing")?.reason).toBe("NewReplicaSetAvailable");
    expect(progressCheckMs({ ...owner, status }, status, startMs + 9_000_000)).toBeUndefined();
  });
  test("without a deadline there is no Progressing condition", () => {
    const owner = deployment({
      replicas: 3,
      status: { conditions: [created] },
      spec: { progressDeadlineSeconds: 2147483647 },
    });
    expect(conditionOf(judged(owner, counts(3), counts(0)), "Progressing")).toBeUndefined();
  });
  test("a ReplicaSet's failure is set on the Deployment, and removed with it", () => {
    const failure = {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "quota",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const owner = rolling({ conditions: [created] });
    const status = judged(owner, { ...counts(1), conditions: [failure] }, counts(0));
    expect(conditionOf(status, "ReplicaFailure")).toEqual({ ...failure, lastUpdateTime: "2026-01-01T00:00:00Z" });
    expect(conditionOf(judged({ ...owner, status }, counts(1), counts(0)), "ReplicaFailure")).toBeUndefined();
  });
});
