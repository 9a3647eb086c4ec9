// The kind CronJob of batch.
import type { CronJob, JobTemplateSpec } from "../../../shared/k8s/api/batch-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  path,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  notSupportedInOrder,
  required,
} from "../../../shared/k8s/field.ts";
import { formatLabelSelector } from "../../../shared/k8s/selectors/labels.ts";
import { age } from "../../../shared/k8s/time.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defaultJobTemplate } from "./job/defaults.ts";
import { jobSpecWarnings } from "./job/warnings.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "../core/pod/disabled-fields.ts";
import { selectorColumn, templateColumns } from "../apps/template-printers.ts";
import { podNameWarnings } from "../apps/template-validation.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { parseCron } from "../../../shared/k8s/cron/cron.ts";
import { knownTimeZone } from "../../../shared/k8s/cron/time-zones.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { validateJobSpecAlone } from "./job/validation/spec.ts";

const policies = ["Allow", "Forbid", "Replace"];
/** The maximum length of the name. Names of jobs have eleven more characters. */
const nameCharactersMax = 52;
const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

export const cronJobs = defineKind<CronJob>("batch", "v1", "cronjobs", {
  defaults({ spec }) {
    spec.concurrencyPolicy ??= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    defaultJobTemplate(spec.jobTemplate.spec);
  },
  prepareForCreate(draft, { features }) {
    dropDisabledOfTemplate(draft.spec.jobTemplate.spec.template, undefined, features);
  },
  prepareForUpdate(draft, previous, { features }) {
    dropDisabledOfTemplate(draft.spec.jobTemplate.spec.template, previous.spec.jobTemplate.spec.template, features);
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
      // Upstream's cell is a text, whatever the type of its column.
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
    selectorColumn<CronJob>(({ spec }) => formatLabelSelector(spec.jobTemplate.spec.selector)),
  ],
});

function validateCronJob({ metadata: { name = "" }, spec }: CronJob): FieldError[] {
  const at = path("spec");
  const { schedule, timeZone, concurrencyPolicy: policy } = spec;
  const scheduleAt = at.child("schedule");
  const errors = schedule ? validateSchedule(schedule, scheduleAt) : [required(scheduleAt)];
  errors.push(...validateNonNegative(spec.startingDeadlineSeconds, at.child("startingDeadlineSeconds")));
  if (timeZone !== undefined) errors.push(...validateTimeZone(timeZone, at.child("timeZone")));
  if (policy === undefined) errors.push(required(at.child("concurrencyPolicy")));
  else if (!policies.includes(policy)) errors.push(notSupported(at.child("concurrencyPolicy"), policy, policies));
  errors.push(...validateTemplate(spec.jobTemplate, at.child("jobTemplate", "spec")));
  for (const field of ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] as const) {
    errors.push(...validateNonNegative(spec[field], at.child(field)));
  }
  if (utf8Length(name) <= nameCharactersMax) return errors;
  return [...errors, invalid(path("metadata", "name"), name, "must be no more than 52 characters")];
}

function validateSchedule(schedule: string, at: FieldPath): FieldError[] {
  const parsed = parseCron(schedule);
  const errors = "error" in parsed ? [invalid(at, schedule, parsed.error)] : [];
  if (!schedule.includes("TZ")) return errors;
  return [...errors, invalid(at, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")];
}

function validateTimeZone(name: string, at: FieldPath): FieldError[] {
  if (name === "") return [invalid(at, name, "timeZone must be nil or non-empty string")];
  const unknown = invalid(at, name, `unknown time zone ${name}`);
  const isMalformed = (zoneSegment: string) =>
    zoneSegment === "." || zoneSegment === ".." || zoneSegment.startsWith("-") || !zonePart.test(zoneSegment);
  if (name.split("/").some(isMalformed)) return [unknown];
  const errors: FieldError[] = [];
  if (name.toLowerCase() === "local") {
    const why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    errors.push(invalid(at, name, why));
  }
  return knownTimeZone(name) ? errors : [...errors, unknown];
}

/** Validates the template. `at` is the path of the job's spec. */
function validateTemplate({ spec }: JobTemplateSpec, at: FieldPath): FieldError[] {
  const errors = validateJobSpecAlone(spec, at);
  if (spec.selector) errors.push(invalid(at.child("selector"), spec.selector, "`selector` will be auto-generated"));
  if (spec.manualSelector) errors.push(notSupportedInOrder(at.child("manualSelector"), true, ["nil", "false"]));
  return errors;
}
