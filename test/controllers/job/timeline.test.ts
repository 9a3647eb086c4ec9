// Golden timelines of job: every event and every step, in order.
import { expect, test } from "vitest";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import { workloadControllers, bed, finish, livePods } from "../bed.ts";
import { timeline, atRest } from "../timeline.ts";

const metadata = { name: "web", namespace: "default" };

const labelled = (spec: object) => ({ metadata: { labels: { app: "web" } }, spec });

test("an indexed Job fails once and completes", () => {
  const { cluster } = bed(workloadControllers);
  const from = cluster.registry.store.revision;
  cluster.apply(jobs, {
    metadata,
    spec: {
      completions: 2,
      parallelism: 2,
      completionMode: "Indexed",
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } },
    },
  });
  cluster.step(0);
  const [first] = livePods(cluster);
  if (first) finish(cluster, first, 1);
  cluster.step(10_000);
  for (const pod of livePods(cluster)) if (pod.status.phase === "Running") finish(cluster, pod);
  cluster.step(0);
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Job web made",
      "Pod web-0-? made",
      "Normal SuccessfulCreate: Created pod: web-0-?",
      "Pod web-1-? made",
      "Normal SuccessfulCreate: Created pod: web-1-?",
      "Job web: startTime 2026-01-01T00:00:00Z, active 2, terminating 0, uncountedTerminatedPods {}, ready 0",
      "Pod web-0-? bound",
      "Normal Scheduled: Successfully assigned default/web-0-? to a node",
      "Pod web-0-? Running",
      "Pod web-1-? bound",
      "Normal Scheduled: Successfully assigned default/web-1-? to a node",
      "Pod web-1-? Running",
      "Job web: ready 2",
      "Pod web-0-? Failed",
      "Job web: active 1, uncountedTerminatedPods {failed 1}, ready 1",
      "Pod web-0-? released",
      "Job web: uncountedTerminatedPods {}, failed 1",
      "Pod web-0-? made",
      "Normal SuccessfulCreate: Created pod: web-0-?",
      "Job web: active 2",
      "Pod web-0-? bound",
      "Normal Scheduled: Successfully assigned default/web-0-? to a node",
      "Pod web-0-? Running",
      "Job web: ready 2",
      "Pod web-0-? Succeeded",
      "Pod web-1-? Succeeded",
      "Job web: -active, ready 0, conditions [SuccessCriteriaMet=True/CompletionsReached], succeeded 2, completedIndexes 0,1",
      "Pod web-0-? released",
      "Pod web-1-? released",
      "Job web: conditions [SuccessCriteriaMet=True/CompletionsReached Complete=True/CompletionsReached], completionTime 2026-01-01T00:00:10Z",
      "Normal Completed: Job completed",
    ]
  `);
});

test("a Job fails, and is deleted after its time to live", () => {
  const { cluster, from } = atRest();
  const template = labelled({
    restartPolicy: "Never",
    containers: [{ name: "c", image: "busybox", command: ["false"] }],
  });
  cluster.apply(jobs, { metadata, spec: { backoffLimit: 0, ttlSecondsAfterFinished: 60, template } });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Job web made",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "Job web: startTime 2026-01-01T00:00:00Z, active 1, terminating 0, uncountedTerminatedPods {}, ready 0",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Failed",
      "Normal Pulling: Pulling image "busybox"",
      "Normal Pulled: Successfully pulled image "busybox" in 0s (0s including waiting). Image size: 2156518 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Job web: -active, uncountedTerminatedPods {failed 1}, conditions [FailureTarget=True/BackoffLimitExceeded]",
      "Pod web-? released",
      "Job web: conditions [FailureTarget=True/BackoffLimitExceeded Failed=True/BackoffLimitExceeded], uncountedTerminatedPods {}, failed 1",
      "Warning BackoffLimitExceeded: Job has reached the specified backoff limit",
      "Pod web-? terminating",
      "Pod web-? gone",
      "Job web gone",
    ]
  `);
});
