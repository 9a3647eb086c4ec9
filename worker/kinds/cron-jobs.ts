// The kind CronJob of batch.
import type { CronJob } from "../../shared/k8s/api/batch-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { path } from "../../shared/k8s/field.ts";
import { formatSelector } from "../../shared/k8s/labels.ts";
import { age } from "../../shared/k8s/time.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { validateCronJob } from "./jobs/validate-cron-job.ts";
import { defaultJobTemplate } from "./jobs/defaults.ts";
import { jobSpecWarnings } from "./jobs/warnings.ts";
import { defineKind } from "./kind.ts";
import { dropDisabledOfTemplate } from "./pods/disabled-fields.ts";
import { templateColumns } from "./workloads/template-columns.ts";
import { podNameWarnings } from "./workloads/validate-template.ts";

export const cronJobs = defineKind<CronJob>("batch", "v1", "cronjobs", {
  defaults({ spec }) {
    spec.concurrencyPolicy ??= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    defaultJobTemplate(spec.jobTemplate.spec);
  },
  prepareForCreate(draft) {
    dropDisabledOfTemplate(draft.spec.jobTemplate.spec.template);
  },
  prepareForUpdate(draft, previous) {
    dropDisabledOfTemplate(draft.spec.jobTemplate.spec.template, previous.spec.jobTemplate.spec.template);
  },
  validate: validateCronJob,
  warnings(next, previous) {
    if (previous && previous.metadata.generation === next.metadata.generation) return [];
    const where = path("spec", "jobTemplate", "spec");
    return [...(previous ? [] : podNameWarnings(next.metadata)), ...jobSpecWarnings(next.spec.jobTemplate.spec, where)];
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
    },
  },
  columns: [
    nameColumn,
    { name: "Schedule", type: "string", description: "When jobs are made.", cell: ({ spec }) => spec.schedule },
    {
      name: "Timezone",
      type: "string",
      description: "Where the schedule's hours are told.",
      cell: ({ spec }) => spec.timeZone ?? "<none>",
    },
    {
      name: "Suspend",
      type: "boolean",
      description: "Whether it makes no jobs for now.",
      // Upstream's cell is a text, whatever its column says.
      cell: ({ spec }) => (spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False"),
    },
    {
      name: "Active",
      type: "integer",
      description: "How many of its jobs run.",
      cell: ({ status }) => status.active?.length ?? 0,
    },
    {
      name: "Last Schedule",
      type: "string",
      description: "How long ago it made a job.",
      cell: ({ status }, nowMs) => (status.lastScheduleTime ? age(status.lastScheduleTime, nowMs) : "<none>"),
    },
    ageColumn,
    ...templateColumns<CronJob>(({ spec }) => spec.jobTemplate.spec.template.spec),
    {
      name: "Selector",
      type: "string",
      priority: 1,
      description: "Labels of the pods that count.",
      cell: ({ spec }) => formatSelector(spec.jobTemplate.spec.selector),
    },
  ],
});
