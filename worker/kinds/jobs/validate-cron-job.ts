// What a CronJob must be: a schedule that can be read, in a time zone that there is, and a job that can be made.
import type { CronJob, JobTemplateSpec } from "../../../shared/k8s/api/batch-v1.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { parseCron } from "../../../shared/k8s/cron.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  notSupportedInOrder,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { knownTimeZone } from "../../../shared/k8s/time-zones.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { validateJobSpecAlone } from "./validate-spec.ts";

const policies = ["Allow", "Forbid", "Replace"];
/** Jobs are named after it, with the minute: eleven characters more. */
const nameCharactersMax = 52;
const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

export function validateCronJob({ metadata: { name = "" }, spec }: CronJob): FieldError[] {
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
  const isMalformed = (part: string) => part === "." || part === ".." || part.startsWith("-") || !zonePart.test(part);
  if (name.split("/").some(isMalformed)) return [unknown];
  const errors: FieldError[] = [];
  if (name.toLowerCase() === "local") {
    const why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    errors.push(invalid(at, name, why));
  }
  return knownTimeZone(name) ? errors : [...errors, unknown];
}

/** `at` is the path of the job's spec. */
function validateTemplate({ spec }: JobTemplateSpec, at: FieldPath): FieldError[] {
  const errors = validateJobSpecAlone(spec, at);
  if (spec.selector) errors.push(invalid(at.child("selector"), spec.selector, "`selector` will be auto-generated"));
  if (spec.manualSelector) errors.push(notSupportedInOrder(at.child("manualSelector"), true, ["nil", "false"]));
  return errors;
}
