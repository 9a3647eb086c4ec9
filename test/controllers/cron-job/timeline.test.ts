// Golden timelines of cron job: every event and every step, in order.
import { expect, test } from "vitest";
import { cronJobs } from "../../../worker/kinds/batch/cron-job.ts";
import { workloadControllers, bed, finish, livePods } from "../bed.ts";
import { timeline } from "../timeline.ts";

const metadata = { name: "web", namespace: "default" };

test("a CronJob creates a Job, which completes", () => {
  const { cluster } = bed(workloadControllers);
  const from = cluster.registry.store.revision;
  cluster.apply(cronJobs, {
    metadata,
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } } },
      },
    },
  });
  cluster.step(61_000);
  for (const pod of livePods(cluster)) finish(cluster, pod);
  cluster.step(0);
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "CronJob web made",
      "Job web-29453761 made",
      "Normal SuccessfulCreate: Created job web-29453761",
      "CronJob web: active [item], lastScheduleTime 2026-01-01T00:01:00Z",
      "Pod web-29453761-? made",
      "Normal SuccessfulCreate: Created pod: web-29453761-?",
      "Job web-29453761: startTime 2026-01-01T00:01:00Z, active 1, terminating 0, uncountedTerminatedPods {}, ready 0",
      "Pod web-29453761-? bound",
      "Normal Scheduled: Successfully assigned default/web-29453761-? to a node",
      "Pod web-29453761-? Running",
      "Job web-29453761: ready 1",
      "Pod web-29453761-? Succeeded",
      "Job web-29453761: -active, uncountedTerminatedPods {succeeded 1}, ready 0, conditions [SuccessCriteriaMet=True/CompletionsReached]",
      "Pod web-29453761-? released",
      "Job web-29453761: conditions [SuccessCriteriaMet=True/CompletionsReached Complete=True/CompletionsReached], uncountedTerminatedPods {}, completionTime 2026-01-01T00:01:01Z, succeeded 1",
      "Normal Completed: Job completed",
      "Normal SawCompletedJob: Saw completed job: web-29453761, condition: Complete",
      "CronJob web: -active, lastSuccessfulTime 2026-01-01T00:01:01Z",
    ]
  `);
});
