// Actions of users on Jobs and CronJobs.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { cronJobs } from "../../../worker/kinds/batch/cron-job.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import type { Dice } from "../dice.ts";
import { anyNamespace, type Draw, edit } from "./wish.ts";
import { propagations } from "./workloads.ts";

const jobNames = ["pi", "backup"] as const;
const cronNames = ["tick"] as const;

export const createJob: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...jobNames)];
  const spec = jobSpec(dice);
  return {
    text: `create job ${namespace}/${name}`,
    ask: (client) => client.create(jobs, { metadata: { namespace, name }, spec }),
  };
};

function jobSpec(dice: Dice): Draft<Job["spec"]> {
  const command = dice.choose(["sleep", "3"], ["sleep", "3"], ["true"], ["false"]);
  const isIndexed = dice.chance(0.5);
  const isPerIndex = isIndexed && dice.chance(0.3);
  const completions = 1 + dice.below(4);
  return {
    parallelism: 1 + dice.below(3),
    ...(isIndexed || dice.chance(0.7) ? { completions } : {}),
    completionMode: isIndexed ? "Indexed" : "NonIndexed",
    ...(isPerIndex ? { backoffLimitPerIndex: 1, maxFailedIndexes: 1 } : { backoffLimit: dice.choose(0, 1, 3) }),
    ...(dice.chance(0.3) ? { podReplacementPolicy: dice.choose("Failed", "TerminatingOrFailed") } : {}),
    ...(dice.chance(0.2) ? { ttlSecondsAfterFinished: dice.choose(0, 30) } : {}),
    ...(dice.chance(0.2) ? { activeDeadlineSeconds: 20 } : {}),
    ...(dice.chance(0.15) ? { suspend: true } : {}),
    template: {
      spec: {
        restartPolicy: isPerIndex ? "Never" : dice.choose("Never", "Never", "OnFailure"),
        terminationGracePeriodSeconds: dice.choose(30, 0),
        containers: [{ name: "main", image: "busybox:1", command, resources: { requests: { cpu: "100m" } } }],
      },
    },
  };
}

function changeJob(verb: string, draw: (dice: Dice) => (draft: Job) => void): Draw {
  return (dice) => {
    const [namespace, name] = [anyNamespace(dice), dice.choose(...jobNames)];
    const act = draw(dice);
    return { text: `${verb} job ${namespace}/${name}`, ask: (client) => edit(client, jobs, namespace, name, act) };
  };
}

export const suspendJob = changeJob("suspend or resume", (dice) => {
  const suspend = dice.chance(0.4);
  return ({ spec }) => {
    spec.suspend = suspend;
  };
});

export const scaleJob = changeJob("scale", (dice) => {
  const parallelism = dice.below(4);
  return ({ spec }) => {
    spec.parallelism = parallelism;
  };
});

export const deleteJob: Draw = (dice) => {
  const [namespace, name, propagation] = [anyNamespace(dice), dice.choose(...jobNames), dice.choose(...propagations)];
  return {
    text: `delete job ${namespace}/${name} (${propagation})`,
    ask: (client) => client.delete(jobs, namespace, name, { propagation }),
  };
};

export const createCronJob: Draw = (dice) => {
  const [namespace, name] = [anyNamespace(dice), dice.choose(...cronNames)];
  const concurrencyPolicy = dice.choose("Allow" as const, "Forbid" as const, "Replace" as const);
  const command = dice.choose(["true"], ["false"], ["sleep", "400"]);
  const template = {
    spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "busybox:1", command }] },
  };
  const spec = {
    schedule: dice.choose("*/5 * * * *", "*/10 * * * *"),
    concurrencyPolicy,
    successfulJobsHistoryLimit: dice.below(2),
    failedJobsHistoryLimit: dice.below(2),
    jobTemplate: { spec: { backoffLimit: 0, template } },
  };
  return {
    text: `create cronjob ${namespace}/${name} (${concurrencyPolicy})`,
    ask: (client) => client.create(cronJobs, { metadata: { namespace, name }, spec }),
  };
};

export const deleteCronJob: Draw = (dice) => {
  const [namespace, name, propagation] = [anyNamespace(dice), dice.choose(...cronNames), dice.choose(...propagations)];
  return {
    text: `delete cronjob ${namespace}/${name} (${propagation})`,
    ask: (client) => client.delete(cronJobs, namespace, name, { propagation }),
  };
};
