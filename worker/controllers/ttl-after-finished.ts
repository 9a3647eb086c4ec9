// Deletes finished jobs after their TTL.
import type { Job } from "../../shared/k8s/api/batch-v1.ts";
import { isBeingDeleted } from "../../shared/k8s/meta.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { jobs } from "../kinds/batch/job/job.ts";
import { defineController, self } from "../runtime/controller.ts";

export const ttlAfterFinishedController = defineController({
  name: "ttl-after-finished-controller",
  component: "ttl-after-finished-controller",
  watches: [self(jobs, (next) => next !== undefined && expiryMs(next) !== undefined)],
  reconcile({ namespace, name }, { client, nowMs }) {
    const job = client.get(jobs, namespace, name);
    const dueMs = job && expiryMs(job);
    if (!job || dueMs === undefined) return undefined;
    if (dueMs > nowMs) return { afterMs: dueMs - nowMs };
    client.tryDelete(jobs, namespace, name, { uid: job.metadata.uid ?? "", propagation: "Foreground" });
    return undefined;
  },
});

/** Returns when a job expires; undefined if it has no TTL, has not ended, or is being deleted. */
function expiryMs(job: Job): number | undefined {
  const { ttlSecondsAfterFinished: ttl } = job.spec;
  const end = job.status.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  if (ttl === undefined || isBeingDeleted(job) || !end?.lastTransitionTime) return undefined;
  return parseTime(end.lastTransitionTime) + ttl * 1000;
}
