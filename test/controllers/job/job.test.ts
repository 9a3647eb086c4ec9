// The Job controller in a whole cluster.
import { describe, expect, test } from "vitest";
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { garbageCollector } from "../../../worker/controllers/garbage-collector/controller.ts";
import { jobController, jobOrphanController, jobPodAdoption } from "../../../worker/controllers/job/controller.ts";
import { ttlAfterFinishedController } from "../../../worker/controllers/ttl-after-finished.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import type { TestCluster } from "../../cluster.ts";
import { type Bed, allPods, bed, finish, livePods } from "../bed.ts";

const controllers = [
  jobController,
  jobPodAdoption,
  jobOrphanController,
  ttlAfterFinishedController,
  garbageCollector(kinds),
];
const tracking = "batch.kubernetes.io/job-tracking";
const indexKey = "batch.kubernetes.io/job-completion-index";

type Spec = Draft<Job["spec"]>;
const container = { name: "c", image: "busybox" };
const template = (spec: Draft<Pod["spec"]> = {}) => ({
  spec: { restartPolicy: "Never" as const, containers: [container], ...spec },
});

function applyWork(cluster: TestCluster, spec: Spec = {}): Job {
  return cluster.apply(jobs, {
    metadata: { name: "work", namespace: "default" },
    spec: { template: template(), ...spec },
  });
}
function start(spec: Spec = {}): Bed {
  const cluster = bed(controllers);
  applyWork(cluster.cluster, spec);
  cluster.cluster.runUntilQuiet();
  return cluster;
}
const work = (cluster: TestCluster) => cluster.get(jobs, "default", "work");
const edit = (cluster: TestCluster, change: (spec: Job["spec"]) => void) =>
  cluster.edit(jobs, "default", "work", ({ spec }) => change(spec));
const running = (cluster: TestCluster) => livePods(cluster).filter(({ status }) => status.phase === "Running");
const indexOf = ({ metadata }: Pod) => metadata.annotations?.[indexKey];
const ofIndex = (cluster: TestCluster, index: number) => running(cluster).find((pod) => indexOf(pod) === String(index));
const conditions = (cluster: TestCluster) =>
  (work(cluster).status.conditions ?? []).map(({ type, status, reason = "" }) => `${type}=${status} ${reason}`);

/** Ends all running pods, and lets the controllers run. */
function endAll(cluster: TestCluster, exitCode = 0): void {
  for (const pod of running(cluster)) finish(cluster, pod, exitCode);
  cluster.step(0);
}
function end(cluster: TestCluster, pod: Pod | undefined, exitCode = 0): void {
  if (!pod) throw new Error("no such pod runs");
  finish(cluster, pod, exitCode);
  cluster.step(0);
}

describe("a job of one pod", () => {
  test("creates a pod with the tracking finalizer", () => {
    const { cluster } = start();
    const [pod] = allPods(cluster);
    const { uid = "" } = work(cluster).metadata;
    expect(pod?.metadata).toMatchObject({
      generateName: "work-",
      finalizers: [tracking],
      labels: {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": "work",
        "controller-uid": uid,
        "job-name": "work",
      },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "Job", name: "work", controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(work(cluster).status).toEqual({
      active: 1,
      ready: 1,
      terminating: 0,
      startTime: "2026-01-01T00:00:00Z",
      uncountedTerminatedPods: {},
    });
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("is complete after success, with conditions, times and events, and is then idle", () => {
    const { cluster } = start();
    cluster.step(5_000);
    endAll(cluster);
    const at = "2026-01-01T00:00:05Z";
    const reached = { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
    const times = { lastProbeTime: at, lastTransitionTime: at };
    expect(work(cluster).status).toEqual({
      conditions: [
        { type: "SuccessCriteriaMet", status: "True", ...times, ...reached },
        { type: "Complete", status: "True", ...times, ...reached },
      ],
      startTime: "2026-01-01T00:00:00Z",
      completionTime: at,
      succeeded: 1,
      terminating: 0,
      uncountedTerminatedPods: {},
      ready: 0,
    });
    expect(allPods(cluster)[0]?.metadata.finalizers).toBeUndefined();
    expect(cluster.eventsOf(work(cluster))).toEqual([
      `SuccessfulCreate: Created pod: ${allPods(cluster)[0]?.metadata.name ?? ""}`,
      "Completed: Job completed",
    ]);
    const before = cluster.registry.store.revision;
    cluster.step(3_600_000);
    expect(cluster.registry.store.revision).toBe(before);
  });

  test("counts a pod in two steps: by uid before its finalizer is removed, then as a number", () => {
    const { cluster } = start();
    const uid = allPods(cluster)[0]?.metadata.uid;
    const from = cluster.registry.store.revision;
    endAll(cluster);
    const story = cluster.changes
      .filter(({ revision, resource }) => revision > from && (resource === "pods" || resource === "jobs.batch"))
      .map(({ object }) => object as Job | Pod)
      .map((object) =>
        object.kind === "Job"
          ? {
              uncounted: (object as Job).status.uncountedTerminatedPods?.succeeded,
              counted: (object as Job).status.succeeded,
            }
          : (object.metadata.finalizers ?? []),
      );
    expect(story).toEqual([
      [tracking],
      { uncounted: [uid], counted: undefined },
      [],
      { uncounted: undefined, counted: 1 },
    ]);
  });

  test("removes the finalizer of its pods when it is deleted", () => {
    const { cluster } = start();
    cluster.client.delete(jobs, "default", "work", { propagation: "Background" });
    cluster.runUntilQuiet();
    expect(allPods(cluster)).toEqual([]);
    applyWork(cluster);
    cluster.runUntilQuiet();
    cluster.client.delete(jobs, "default", "work", { propagation: "Foreground" });
    cluster.runUntilQuiet();
    expect(allPods(cluster)).toEqual([]);
    expect(cluster.client.get(jobs, "default", "work")).toBeUndefined();
  });

  test("removes the finalizer of its pods when they are orphaned", () => {
    const { cluster } = start();
    cluster.client.delete(jobs, "default", "work", { propagation: "Orphan" });
    cluster.runUntilQuiet();
    expect(allPods(cluster).map(({ metadata }) => [metadata.finalizers, metadata.ownerReferences])).toEqual([
      [undefined, undefined],
    ]);
  });

  test("a job with another manager is ignored", () => {
    const { cluster } = start({ managedBy: "acme.io/jobs" });
    expect(allPods(cluster)).toEqual([]);
    expect(work(cluster).status).toEqual({});
  });

  test("rejected pods are reported and retried", () => {
    const { cluster, kubelets } = bed(controllers);
    kubelets.refusal = ({ plural }) =>
      plural === "pods" ? ApiError.forbidden({ group: "", name: "pods" }, "x", "exceeded quota: few") : undefined;
    applyWork(cluster);
    cluster.step(5_000);
    expect(cluster.eventsOf(work(cluster))).toEqual([
      'FailedCreate: Error creating: pods "x" is forbidden: exceeded quota: few',
    ]);
    kubelets.refusal = () => undefined;
    cluster.runUntilQuiet();
    expect(running(cluster).length).toBe(1);
  });
});

describe("many pods", () => {
  test("runs at most parallelism pods at once, and completions in total", () => {
    const { cluster } = start({ parallelism: 2, completions: 5 });
    const counts: number[] = [];
    for (let round = 0; round < 3; round++) {
      counts.push(running(cluster).length);
      endAll(cluster);
    }
    expect(counts).toEqual([2, 2, 1]);
    expect(work(cluster).status).toMatchObject({ succeeded: 5, completionTime: "2026-01-01T00:00:00Z" });
    expect(allPods(cluster).length).toBe(5);
  });

  test("without completions, starts no pods after the first success, and ends when all pods have ended", () => {
    const { cluster } = start({ parallelism: 3 });
    expect(running(cluster).length).toBe(3);
    end(cluster, running(cluster)[0]);
    expect(running(cluster).length).toBe(2);
    expect(conditions(cluster)).toEqual([]);
    endAll(cluster, 1);
    expect(work(cluster).status).toMatchObject({ succeeded: 1, failed: 2 });
    expect(conditions(cluster)).toContain("Complete=True CompletionsReached");
  });

  test("a lower parallelism deletes pods without counting them as failed", () => {
    const { cluster } = start({ parallelism: 4, completions: 8 });
    edit(cluster, (spec) => {
      spec.parallelism = 1;
    });
    cluster.runUntilQuiet();
    expect(running(cluster).length).toBe(1);
    expect(work(cluster).status.failed).toBeUndefined();
    edit(cluster, (spec) => {
      spec.parallelism = 0;
    });
    cluster.runUntilQuiet();
    expect(allPods(cluster)).toEqual([]);
  });

  test("is complete immediately with 0 completions", () => {
    const { cluster } = start({ completions: 0 });
    expect(conditions(cluster)).toContain("Complete=True CompletionsReached");
    expect(allPods(cluster)).toEqual([]);
  });
});

describe("failures", () => {
  test("each failure doubles the backoff from 10 s", () => {
    const { cluster } = start({ backoffLimit: 4 });
    const waits: number[] = [];
    for (let round = 0; round < 3; round++) {
      endAll(cluster, 1);
      const from = cluster.clock.nowMs();
      cluster.runUntilQuiet();
      waits.push(cluster.clock.nowMs() - from);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000]);
    expect(work(cluster).status).toMatchObject({ active: 1, failed: 3 });
    expect(allPods(cluster).length).toBe(4);
  });

  test("the backoff is at most ten minutes; a success resets it", () => {
    const { cluster } = start({ backoffLimit: 20, completions: 3 });
    for (let round = 0; round < 8; round++) {
      endAll(cluster, 1);
      cluster.runUntilQuiet();
    }
    endAll(cluster, 1);
    const from = cluster.clock.nowMs();
    cluster.runUntilQuiet();
    expect(cluster.clock.nowMs() - from).toBe(600_000);
    endAll(cluster);
    cluster.step(1_000);
    endAll(cluster, 1);
    const again = cluster.clock.nowMs();
    cluster.runUntilQuiet();
    expect(cluster.clock.nowMs() - again).toBe(10_000);
  });

  test("past the backoff limit the job fails, and its pods are deleted", () => {
    const { cluster } = start({ backoffLimit: 1, parallelism: 3, completions: 3 });
    end(cluster, running(cluster)[0], 1);
    expect(running(cluster).length).toBe(2);
    end(cluster, running(cluster)[0], 1);
    cluster.runUntilQuiet();
    expect(running(cluster)).toEqual([]);
    expect(conditions(cluster)).toEqual([
      "FailureTarget=True BackoffLimitExceeded",
      "Failed=True BackoffLimitExceeded",
    ]);
    expect(work(cluster).status).toMatchObject({ failed: 3, ready: 0, terminating: 0 });
    expect(work(cluster).status.completionTime).toBeUndefined();
    expect(cluster.eventsOf(work(cluster)).at(-1)).toBe(
      "BackoffLimitExceeded: Job has reached the specified backoff limit",
    );
  });

  test("the failure is decided first, and declared when the last pod is gone", () => {
    const { cluster, kubelets } = start({ backoffLimit: 0, parallelism: 2, completions: 2 });
    kubelets.lingers = () => true;
    end(cluster, running(cluster)[0], 1);
    expect(conditions(cluster)).toEqual(["FailureTarget=True BackoffLimitExceeded"]);
    expect(work(cluster).status).toMatchObject({ failed: 2, terminating: 1 });
    for (const { metadata } of allPods(cluster)) {
      if (metadata.deletionTimestamp)
        cluster.client.delete(pods, "default", metadata.name ?? "", { gracePeriodSeconds: 0 });
    }
    cluster.runUntilQuiet();
    expect(conditions(cluster)).toContain("Failed=True BackoffLimitExceeded");
    expect(work(cluster).status.terminating).toBe(0);
  });

  test("restarts of containers count with OnFailure", () => {
    const { cluster } = start({ backoffLimit: 3, template: template({ restartPolicy: "OnFailure" }) });
    const [pod] = running(cluster);
    const status = (restartCount: number) => ({
      name: "c",
      image: "busybox",
      imageID: "",
      ready: true,
      restartCount,
      state: { running: { startedAt: null } },
      lastState: {},
    });
    const restart = (count: number) => {
      const current = cluster.get(pods, "default", pod?.metadata.name ?? "");
      cluster.client.updateStatus(pods, {
        ...current,
        status: { ...current.status, containerStatuses: [status(count)] },
      });
      cluster.runUntilQuiet();
    };
    restart(2);
    expect(conditions(cluster)).toEqual([]);
    restart(3);
    expect(conditions(cluster)).toContain("Failed=True BackoffLimitExceeded");
    expect(livePods(cluster)).toEqual([]);
  });

  test("a deleted pod counts as failed and is replaced", () => {
    const { cluster } = start();
    cluster.client.delete(pods, "default", running(cluster)[0]?.metadata.name ?? "");
    cluster.runUntilQuiet();
    expect(work(cluster).status).toMatchObject({ failed: 1, active: 1 });
    expect(running(cluster).length).toBe(1);
  });

  test("podReplacementPolicy Failed waits until the deleted pod has ended", () => {
    const { cluster, kubelets } = start({ podReplacementPolicy: "Failed" });
    kubelets.lingers = () => true;
    const [pod] = running(cluster);
    cluster.client.delete(pods, "default", pod?.metadata.name ?? "");
    cluster.runUntilQuiet();
    expect(work(cluster).status).toMatchObject({ terminating: 1 });
    expect(work(cluster).status.failed).toBeUndefined();
    expect(allPods(cluster).length).toBe(1);
    if (pod) finish(cluster, pod, 137);
    cluster.runUntilQuiet();
    expect(work(cluster).status).toMatchObject({ failed: 1, active: 1, terminating: 0 });
  });

  test("at the active deadline it fails, without another event", () => {
    const { cluster } = bed(controllers);
    applyWork(cluster, { activeDeadlineSeconds: 30 });
    cluster.step(29_000);
    expect(conditions(cluster)).toEqual([]);
    cluster.step(1_000);
    expect(conditions(cluster)).toEqual(["FailureTarget=True DeadlineExceeded", "Failed=True DeadlineExceeded"]);
    expect(livePods(cluster)).toEqual([]);
    expect(cluster.eventsOf(work(cluster)).at(-1)).toBe(
      "DeadlineExceeded: Job was active longer than specified deadline",
    );
  });
});

describe("suspension", () => {
  test("from the start prevents pods until the job is resumed, which sets its start time", () => {
    const { cluster } = start({ suspend: true, activeDeadlineSeconds: 30 });
    expect(allPods(cluster)).toEqual([]);
    expect(conditions(cluster)).toEqual(["Suspended=True JobSuspended"]);
    expect(work(cluster).status.startTime).toBeUndefined();
    cluster.step(60_000);
    edit(cluster, (spec) => {
      spec.suspend = false;
    });
    cluster.step(1_000);
    expect(running(cluster).length).toBe(1);
    expect(conditions(cluster)).toEqual(["Suspended=False JobResumed"]);
    expect(work(cluster).status.startTime).toBe("2026-01-01T00:01:00Z");
    expect(cluster.eventsOf(work(cluster)).filter((line) => !line.startsWith("SuccessfulCreate"))).toEqual([
      "Suspended: Job suspended",
      "Resumed: Job resumed",
    ]);
  });

  test("deletes the pods of a running job uncounted, which are created again when it is resumed", () => {
    const { cluster } = start({ parallelism: 2, completions: 3 });
    end(cluster, running(cluster)[0]);
    edit(cluster, (spec) => {
      spec.suspend = true;
    });
    cluster.runUntilQuiet();
    expect(running(cluster)).toEqual([]);
    expect(work(cluster).status).toMatchObject({ succeeded: 1, ready: 0 });
    expect(work(cluster).status.failed).toBeUndefined();
    expect(work(cluster).status.startTime).toBeUndefined();
    edit(cluster, (spec) => {
      spec.suspend = false;
    });
    cluster.runUntilQuiet();
    expect(running(cluster).length).toBe(2);
  });
});

describe("an indexed job", () => {
  const indexed = (spec: Spec = {}): Spec => ({ completionMode: "Indexed", completions: 3, parallelism: 3, ...spec });

  test("has one pod for each index, which knows its index", () => {
    const { cluster } = start(indexed());
    expect(running(cluster).map(indexOf).sort()).toEqual(["0", "1", "2"]);
    const pod = ofIndex(cluster, 1);
    expect(pod?.metadata.generateName).toBe("work-1-");
    expect(pod?.metadata.labels?.[indexKey]).toBe("1");
    expect(pod?.spec.hostname).toBe("work-1");
    expect(pod?.spec.containers[0]?.env).toEqual([
      {
        name: "JOB_COMPLETION_INDEX",
        valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${indexKey}']` } },
      },
    ]);
  });

  test("starts the lowest indexes first, and lists completed ones as intervals", () => {
    const { cluster } = start(indexed({ completions: 5, parallelism: 2 }));
    expect(running(cluster).map(indexOf).sort()).toEqual(["0", "1"]);
    end(cluster, ofIndex(cluster, 1));
    expect(work(cluster).status.completedIndexes).toBe("1");
    expect(running(cluster).map(indexOf).sort()).toEqual(["0", "2"]);
    endAll(cluster);
    expect(work(cluster).status).toMatchObject({ completedIndexes: "0-2", succeeded: 3 });
    endAll(cluster);
    expect(work(cluster).status).toMatchObject({ completedIndexes: "0-4", succeeded: 5 });
    expect(conditions(cluster)).toContain("Complete=True CompletionsReached");
  });

  test("replaces a failed pod for the same index", () => {
    const { cluster } = start(indexed());
    end(cluster, ofIndex(cluster, 1), 1);
    cluster.runUntilQuiet();
    expect(running(cluster).map(indexOf).sort()).toEqual(["0", "1", "2"]);
    expect(work(cluster).status.failed).toBe(1);
  });

  test("deletes the pods beyond lowered completions, and may complete", () => {
    const { cluster } = start(indexed());
    end(cluster, ofIndex(cluster, 0));
    edit(cluster, (spec) => {
      spec.completions = 1;
      spec.parallelism = 1;
    });
    cluster.runUntilQuiet();
    expect(work(cluster).status).toMatchObject({ completedIndexes: "0", succeeded: 1 });
    expect(conditions(cluster)).toContain("Complete=True CompletionsReached");
    expect(running(cluster)).toEqual([]);
  });

  test("does not retry an index past backoffLimitPerIndex, and continues with the others", () => {
    const { cluster } = start(indexed({ completions: 2, parallelism: 2, backoffLimitPerIndex: 1 }));
    const failures = (index: number) =>
      ofIndex(cluster, index)?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"];
    expect(failures(0)).toBe("0");
    end(cluster, ofIndex(cluster, 0), 1);
    expect(work(cluster).status).toMatchObject({ active: 1, failedIndexes: "" });
    cluster.runUntilQuiet();
    expect(failures(0)).toBe("1");
    expect(cluster.clock.nowMs()).toBe(Date.parse("2026-01-01T00:00:10Z"));
    end(cluster, ofIndex(cluster, 0), 1);
    expect(work(cluster).status).toMatchObject({ failed: 2, failedIndexes: "0" });
    expect(running(cluster).map(indexOf)).toEqual(["1"]);
    endAll(cluster);
    cluster.runUntilQuiet();
    expect(conditions(cluster)).toEqual(["FailureTarget=True FailedIndexes", "Failed=True FailedIndexes"]);
    expect(work(cluster).status).toMatchObject({ completedIndexes: "1", failedIndexes: "0", succeeded: 1 });
    expect(cluster.eventsOf(work(cluster)).at(-1)).toBe("FailedIndexes: Job has failed indexes");
    expect(allPods(cluster).every(({ metadata }) => metadata.finalizers === undefined)).toBe(true);
  });

  test("fails past maxFailedIndexes", () => {
    const { cluster } = start(indexed({ backoffLimitPerIndex: 0, maxFailedIndexes: 1 }));
    end(cluster, ofIndex(cluster, 0), 1);
    expect(conditions(cluster)).toEqual([]);
    end(cluster, ofIndex(cluster, 2), 1);
    cluster.runUntilQuiet();
    expect(conditions(cluster)).toContain("Failed=True MaxFailedIndexesExceeded");
    expect(running(cluster)).toEqual([]);
  });

  test("completes by its successPolicy with enough indexes, and the rest is deleted uncounted", () => {
    const rules = [{ succeededIndexes: "0,2", succeededCount: 1 }];
    const { cluster } = start(indexed({ successPolicy: { rules } }));
    end(cluster, ofIndex(cluster, 1));
    expect(conditions(cluster)).toEqual([]);
    end(cluster, ofIndex(cluster, 2));
    cluster.runUntilQuiet();
    expect(work(cluster).status.conditions).toMatchObject([
      { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: "Matched rules at index 0" },
      { type: "Complete", reason: "SuccessPolicy", message: "Matched rules at index 0" },
    ]);
    expect(work(cluster).status).toMatchObject({ succeeded: 2, completedIndexes: "1,2" });
    expect(work(cluster).status.failed).toBeUndefined();
    expect(livePods(cluster).filter(({ status }) => status.phase === "Running")).toEqual([]);
  });
});

describe("podFailurePolicy", () => {
  const policy = (...rules: NonNullable<Job["spec"]["podFailurePolicy"]>["rules"]): Spec => ({
    podFailurePolicy: { rules },
    backoffLimit: 1,
  });

  test("FailJob fails the job at once, with the container and the rule", () => {
    const { cluster } = start(policy({ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }));
    const [pod] = running(cluster);
    endAll(cluster, 42);
    expect(work(cluster).status.conditions).toMatchObject([
      { type: "FailureTarget", reason: "PodFailurePolicy" },
      {
        type: "Failed",
        reason: "PodFailurePolicy",
        message: `Container c for pod default/${pod?.metadata.name ?? ""} failed with exit code 42 matching FailJob rule at index 0`,
      },
    ]);
    expect(work(cluster).status.failed).toBe(1);
  });

  test("Ignore replaces the pod without counting it", () => {
    const { cluster } = start(policy({ action: "Ignore", onExitCodes: { operator: "NotIn", values: [1] } }));
    for (let round = 0; round < 4; round++) {
      endAll(cluster, 3);
      cluster.runUntilQuiet();
    }
    expect(work(cluster).status).toMatchObject({ active: 1 });
    expect(work(cluster).status.failed).toBeUndefined();
    expect(conditions(cluster)).toEqual([]);
  });

  test("a condition of the pod can match", () => {
    const { cluster } = start(
      policy({ action: "FailJob", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }),
    );
    const [pod] = running(cluster);
    if (!pod) throw new Error("no pod");
    const disruption = { type: "DisruptionTarget", status: "True" };
    cluster.client.updateStatus(pods, {
      ...pod,
      status: { ...pod.status, phase: "Failed", conditions: [...(pod.status.conditions ?? []), disruption] },
    });
    cluster.runUntilQuiet();
    expect(work(cluster).status.conditions?.[1]?.message).toBe(
      `Pod default/${pod.metadata.name ?? ""} has condition DisruptionTarget matching FailJob rule at index 0`,
    );
  });

  test("FailIndex fails the index at once", () => {
    const { cluster } = start({
      completionMode: "Indexed",
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 5,
      podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [42] } }] },
    });
    end(cluster, ofIndex(cluster, 0), 42);
    cluster.runUntilQuiet();
    expect(work(cluster).status.failedIndexes).toBe("0");
    expect(running(cluster).map(indexOf)).toEqual(["1"]);
  });
});

describe("ttlSecondsAfterFinished", () => {
  test("deletes the job and its pods after its end", () => {
    const { cluster } = start({ ttlSecondsAfterFinished: 60 });
    endAll(cluster);
    cluster.step(59_000);
    expect(work(cluster).status.succeeded).toBe(1);
    cluster.step(1_000);
    expect(cluster.client.get(jobs, "default", "work")).toBeUndefined();
    expect(allPods(cluster)).toEqual([]);
  });

  test("applies to a failed job, and not to an active one", () => {
    const { cluster } = start({ ttlSecondsAfterFinished: 0, backoffLimit: 0 });
    cluster.step(600_000);
    expect(work(cluster).status.active).toBe(1);
    endAll(cluster, 1);
    cluster.runUntilQuiet();
    expect(cluster.client.get(jobs, "default", "work")).toBeUndefined();
  });
});
