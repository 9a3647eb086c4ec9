// The CronJob controller in a whole cluster. The clock starts at midnight of January 1, 2026, a Thursday.
import { describe, expect, test } from "vitest";
import type { CronJob, Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { cronJobController } from "../../../worker/controllers/cron-job/controller.ts";
import { garbageCollector } from "../../../worker/controllers/garbage-collector/controller.ts";
import { jobController, jobOrphanController } from "../../../worker/controllers/job/controller.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { cronJobs } from "../../../worker/kinds/batch/cron-job.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import type { TestCluster } from "../../cluster.ts";
import { bed, finish, livePods } from "../bed.ts";

const controllers = [cronJobController, jobController, jobOrphanController, garbageCollector(kinds)];
const second = 1_000;
const minute = 60 * second;
const firstName = "tick-29453761";

type Spec = Draft<CronJob["spec"]>;

function start(spec: Spec = {}) {
  const cluster = bed(controllers);
  cluster.cluster.apply(cronJobs, {
    metadata: { name: "tick", namespace: "default" },
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        metadata: { labels: { made: "by-cron" } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } } },
      },
      ...spec,
    },
  });
  cluster.cluster.step(0);
  return cluster;
}
const tick = (cluster: TestCluster) => cluster.get(cronJobs, "default", "tick");
const createdJobs = (cluster: TestCluster): readonly Job[] => cluster.client.list(jobs, { namespace: "default" });
const namesOf = (cluster: TestCluster) => createdJobs(cluster).map(({ metadata }) => metadata.name);
const recordedEvents = (cluster: TestCluster) => cluster.eventsOf(tick(cluster));
const edit = (cluster: TestCluster, change: (spec: CronJob["spec"]) => void) =>
  cluster.edit(cronJobs, "default", "tick", ({ spec }) => change(spec));
function endAll(cluster: TestCluster, code = 0): void {
  for (const pod of livePods(cluster)) if (pod.status.phase === "Running") finish(cluster, pod, code);
  cluster.step(0);
}

describe("scheduled starts", () => {
  test("a job named after the minute is created at the first time, and none before", () => {
    const { cluster } = start();
    cluster.step(minute);
    expect(createdJobs(cluster)).toEqual([]);
    // The clock is only accurate to a tenth of a second.
    expect(cluster.runtime.nextDueMs()).toBe(cluster.clock.nowMs() + 100);
    cluster.step(100);
    expect(namesOf(cluster)).toEqual([firstName]);
    expect(createdJobs(cluster)[0]?.metadata).toMatchObject({
      labels: { made: "by-cron" },
      annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:01:00Z" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "tick", controller: true }],
    });
    expect(tick(cluster).status).toMatchObject({
      active: [{ apiVersion: "batch/v1", kind: "Job", name: firstName, namespace: "default" }],
      lastScheduleTime: "2026-01-01T00:01:00Z",
    });
    expect(recordedEvents(cluster)).toEqual([`SuccessfulCreate: Created job ${firstName}`]);
  });

  test("nothing happens between two times", () => {
    const { cluster } = start();
    cluster.step(minute + second);
    const before = cluster.registry.store.revision;
    cluster.step(58 * second);
    expect(cluster.registry.store.revision).toBe(before);
  });

  test("the end of a job is recorded in the status", () => {
    const { cluster } = start();
    cluster.step(minute + 5 * second);
    endAll(cluster);
    expect(tick(cluster).status).toEqual({
      lastScheduleTime: "2026-01-01T00:01:00Z",
      lastSuccessfulTime: "2026-01-01T00:01:05Z",
    });
    expect(recordedEvents(cluster).at(-1)).toBe(
      `SawCompletedJob: Saw completed job: ${firstName}, condition: Complete`,
    );
  });

  test("a time zone applies to the schedule", () => {
    const { cluster } = start({ schedule: "30 9 * * *", timeZone: "Asia/Kolkata" });
    cluster.step(4 * 60 * minute + second);
    expect(createdJobs(cluster)[0]?.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]).toBe(
      "2026-01-01T09:30:00+05:30",
    );
  });

  test("a suspended CronJob creates no jobs; when resumed it makes up for the last missed start once", () => {
    const { cluster } = start({ suspend: true });
    cluster.step(10 * minute);
    expect(createdJobs(cluster)).toEqual([]);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
    edit(cluster, (spec) => {
      spec.suspend = false;
    });
    cluster.step(second);
    expect(tick(cluster).status.lastScheduleTime).toBe("2026-01-01T00:10:00Z");
    expect(createdJobs(cluster).length).toBe(1);
  });

  test("a changed schedule starts with its next time", () => {
    const { cluster } = start({ schedule: "0 0 1 6 *" });
    cluster.step(10 * minute + 30 * second);
    edit(cluster, (spec) => {
      spec.schedule = "*/5 * * * *";
    });
    cluster.step(4 * minute);
    expect(createdJobs(cluster)).toEqual([]);
    cluster.step(minute);
    expect(tick(cluster).status.lastScheduleTime).toBe("2026-01-01T00:15:00Z");
  });

  test("@every counts from the creation", () => {
    const { cluster } = start({ schedule: "@every 90s" });
    cluster.step(91 * second);
    expect(tick(cluster).status.lastScheduleTime).toBe("2026-01-01T00:01:30Z");
    cluster.step(90 * second);
    expect(tick(cluster).status.lastScheduleTime).toBe("2026-01-01T00:03:00Z");
  });

  test("a schedule that never occurs is reported", () => {
    const { cluster } = start({ schedule: "59 23 31 2 *" });
    expect(recordedEvents(cluster)).toEqual([
      "InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second",
    ]);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });
});

describe("concurrency", () => {
  test("Allow creates another job at each time", () => {
    const { cluster } = start();
    cluster.step(3 * minute + second);
    expect(tick(cluster).status.active?.length).toBe(3);
    expect(livePods(cluster).length).toBe(3);
  });

  test("Forbid skips starts while a job runs, and then makes up for the last one immediately", () => {
    const { cluster } = start({ concurrencyPolicy: "Forbid" });
    cluster.step(3 * minute + second);
    expect(namesOf(cluster)).toEqual([firstName]);
    expect(recordedEvents(cluster)).toContain(
      "JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    endAll(cluster);
    expect(namesOf(cluster)).toEqual([firstName, "tick-29453763"]);
    expect(tick(cluster).status.active?.map(({ name }) => name)).toEqual(["tick-29453763"]);
  });

  test("Replace deletes the running job", () => {
    const { cluster } = start({ concurrencyPolicy: "Replace" });
    cluster.step(2 * minute + second);
    expect(namesOf(cluster)).toEqual(["tick-29453762"]);
    expect(tick(cluster).status.active?.map(({ name }) => name)).toEqual(["tick-29453762"]);
    expect(recordedEvents(cluster)).toContain(`SuccessfulDelete: Deleted job ${firstName}`);
    expect(livePods(cluster).length).toBe(1);
  });
});

describe("missed starts", () => {
  /** Nothing runs the controller while `ms` pass. */
  const sleep = (cluster: TestCluster, ms: number) => {
    cluster.clock.stepTo(cluster.clock.nowMs() + ms);
    cluster.step(0);
  };

  test("only the last of several missed starts is made up for", () => {
    const { cluster } = start();
    sleep(cluster, 10 * minute + 30 * second);
    expect(createdJobs(cluster).length).toBe(1);
    expect(tick(cluster).status.lastScheduleTime).toBe("2026-01-01T00:10:00Z");
    expect(recordedEvents(cluster).length).toBe(1);
  });

  test("more than a hundred missed starts cause a warning", () => {
    const { cluster } = start();
    sleep(cluster, 100 * minute + second);
    expect(recordedEvents(cluster)[0]).toMatch(/^SuccessfulCreate/);
    sleep(cluster, 102 * minute);
    expect(recordedEvents(cluster)).toContain(
      "TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    );
    expect(tick(cluster).status.lastScheduleTime).toBe("2026-01-01T03:22:00Z");
  });

  test("starts after the starting deadline are skipped", () => {
    const { cluster } = start({ schedule: "0 * * * *", startingDeadlineSeconds: 30 });
    sleep(cluster, 61 * minute);
    expect(createdJobs(cluster)).toEqual([]);
    sleep(cluster, 59 * minute + 20 * second);
    expect(tick(cluster).status.lastScheduleTime).toBe("2026-01-01T02:00:00Z");
  });
});

describe("history", () => {
  test("only the newest jobs within the limits are kept", () => {
    const { cluster } = start({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
    for (const code of [0, 0, 0]) {
      cluster.step(minute + second);
      endAll(cluster, code);
    }
    cluster.step(second);
    expect(namesOf(cluster)).toEqual(["tick-29453762", "tick-29453763"]);
    expect(recordedEvents(cluster)).toContain(`SuccessfulDelete: Deleted job ${firstName}`);
  });

  test("an active job that a user deleted is removed from the status", () => {
    const { cluster } = start();
    cluster.step(minute + second);
    cluster.client.delete(jobs, "default", firstName, { propagation: "Background" });
    cluster.step(second);
    expect(tick(cluster).status.active).toBeUndefined();
    expect(recordedEvents(cluster)).toContain(`MissingJob: Active job went missing: ${firstName}`);
    expect(createdJobs(cluster)).toEqual([]);
  });

  test("a job with the CronJob's owner reference that it did not create is reported", () => {
    const { cluster } = start({ schedule: "0 0 1 6 *" });
    const { uid = "" } = tick(cluster).metadata;
    const { spec } = tick(cluster).spec.jobTemplate;
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "tick", uid, controller: true };
    cluster.apply(jobs, { metadata: { name: "mine", namespace: "default", ownerReferences: [owner] }, spec });
    cluster.step(second);
    expect(recordedEvents(cluster)).toContain(
      "UnexpectedJob: Saw a job that the controller did not create or forgot: mine",
    );
  });

  test("the CronJob's deletion deletes its jobs and their pods", () => {
    const { cluster } = start();
    cluster.step(2 * minute + second);
    cluster.client.delete(cronJobs, "default", "tick");
    cluster.step(minute);
    expect(createdJobs(cluster)).toEqual([]);
    expect(livePods(cluster)).toEqual([]);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });
});

test("a rejected job is reported and retried", () => {
  const { cluster, kubelets } = start();
  kubelets.refusal = ({ plural }) => (plural === "jobs" ? ApiError.internal("no") : undefined);
  cluster.step(minute + 10 * second);
  expect(recordedEvents(cluster)).toEqual(["FailedCreate: Error creating job: Internal error occurred: no"]);
  kubelets.refusal = () => undefined;
  cluster.step(20 * second);
  expect(namesOf(cluster)).toEqual([firstName]);
});
