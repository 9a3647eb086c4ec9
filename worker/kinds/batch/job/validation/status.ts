// Validates updates of a job's status. Most rules apply only to changed fields.
import type { Job, JobStatus } from "../../../../../shared/k8s/api/batch-v1.ts";
import { semanticEqual } from "../../../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  invalidWithoutValue,
  path,
  required,
} from "../../../../../shared/k8s/field.ts";
import { parseTime } from "../../../../../shared/k8s/time.ts";
import { validateNonNegative } from "../../../../../shared/k8s/validate-meta.ts";
import { hasCondition, isFinished } from "../conditions.ts";
import { countIndexes, overlap } from "../indexes.ts";

const at = path("status");
const conditionsAt = at.child("conditions");
const counts = ["active", "succeeded", "failed", "ready", "terminating"] as const;

export function validateJobStatus(next: Job, previous: Job): FieldError[] {
  const changes = changesOf(next, previous);
  return [
    ...counts.flatMap((field) => validateNonNegative(next.status[field], at.child(field))),
    ...validateUncounted(next.status, at.child("uncountedTerminatedPods")),
    ...validateEnding(next, changes),
    ...validateRunning(next, changes),
    ...validateIndexes(next, changes),
    ...(hasTerminating(next) && (changes.finished || changes.terminating)
      ? [invalid(at.child("terminating"), next.status.terminating, "terminating>0 is invalid for finished job")]
      : []),
    ...((changes.ready || changes.active) &&
    next.status.ready !== undefined &&
    next.status.ready > (next.status.active ?? 0)
      ? [invalid(at.child("ready"), next.status.ready, "cannot set more ready pods than active")]
      : []),
    ...validateSuccess(next),
    ...validateTransition(next, previous),
  ];
}

type Changes = ReturnType<typeof changesOf>;

/** Returns which fields of the status changed. */
function changesOf(next: Job, previous: Job) {
  const condition = (type: string) => hasCondition(next, type) !== hasCondition(previous, type);
  const field = (name: keyof JobStatus) => !semanticEqual(next.status[name], previous.status[name]);
  return {
    finished: isFinished(next) !== isFinished(previous),
    complete: condition("Complete"),
    failed: condition("Failed"),
    failureTarget: condition("FailureTarget"),
    successCriteria: condition("SuccessCriteriaMet"),
    completedIndexes: (next.status.completedIndexes ?? "") !== (previous.status.completedIndexes ?? ""),
    failedIndexes: field("failedIndexes"),
    active: (next.status.active ?? 0) !== (previous.status.active ?? 0),
    startTime: field("startTime"),
    completionTime: field("completionTime"),
    uncounted: field("uncountedTerminatedPods"),
    ready: field("ready"),
    terminating: field("terminating"),
  };
}

function validateUncounted({ uncountedTerminatedPods: pods }: JobStatus, where: FieldPath): FieldError[] {
  const types = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((field) =>
    (pods?.[field] ?? []).flatMap((uid, index) => {
      const uidAt = where.child(field).index(index);
      if (!uid) return [invalid(uidAt, uid, "must not be empty")];
      if (types.has(uid)) return [duplicate(uidAt, uid)];
      types.add(uid);
      return [];
    }),
  );
}

/** Validates the conditions and times of an ended job. */
function validateEnding(job: Job, changes: Changes): FieldError[] {
  const { startTime, completionTime } = job.status;
  const [isComplete, isFailed] = [hasCondition(job, "Complete"), hasCondition(job, "Failed")];
  const timeAt = at.child("completionTime");
  const errors: FieldError[] = [];
  const refuse = (why: string) => errors.push(invalidWithoutValue(conditionsAt, why));
  if ((changes.complete || changes.failed) && isComplete && isFailed) {
    refuse("cannot set Complete=True and Failed=true conditions");
  }
  if ((changes.complete || changes.failureTarget) && isComplete && hasCondition(job, "FailureTarget")) {
    refuse("cannot set Complete=True and FailureTarget=true conditions");
  }
  const timeMatters = changes.complete || changes.completionTime;
  if (timeMatters && completionTime !== undefined && !isComplete) {
    errors.push(invalid(timeAt, completionTime, "cannot set completionTime when there is no Complete=True condition"));
  }
  if (timeMatters && completionTime === undefined && isComplete) {
    errors.push(required(timeAt, "completionTime is required for Complete jobs"));
  }
  const isBackwards = startTime && completionTime && parseTime(completionTime) < parseTime(startTime);
  if ((changes.startTime || changes.completionTime) && isBackwards) {
    errors.push(invalid(timeAt, completionTime, "must be equal to or after `startTime`"));
  }
  if ((changes.failed || changes.failedIndexes) && isFailed && !hasCondition(job, "FailureTarget")) {
    refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((changes.complete || changes.successCriteria) && isComplete && !hasCondition(job, "SuccessCriteriaMet")) {
    refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  return errors;
}

/** Validates that an ended job has no active pods. */
function validateRunning(job: Job, changes: Changes): FieldError[] {
  if (!isFinished(job)) return [];
  const { active = 0, startTime, uncountedTerminatedPods: pods } = job.status;
  const errors: FieldError[] = [];
  if ((changes.finished || changes.active) && active > 0) {
    errors.push(invalid(at.child("active"), active, "active>0 is invalid for finished job"));
  }
  const neverStarted = job.spec.suspend === true && job.spec.completions === 0;
  if ((changes.finished || changes.startTime) && !neverStarted && startTime === undefined) {
    errors.push(required(at.child("startTime"), "startTime is required for finished job"));
  }
  const { succeeded = [], failed = [] } = pods ?? {};
  if ((changes.finished || changes.uncounted) && succeeded.length + failed.length > 0) {
    // Upstream prints its internal struct, whose fields have no JSON names.
    const form = { Succeeded: pods?.succeeded ?? null, Failed: pods?.failed ?? null };
    errors.push(invalid(at.child("uncountedTerminatedPods"), form, "must be empty for finished job"));
  }
  return errors;
}

function validateIndexes({ spec, status }: Job, changes: Changes): FieldError[] {
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const { completedIndexes: completed = "", failedIndexes: failed } = status;
  const [completedAt, failedAt] = [at.child("completedIndexes"), at.child("failedIndexes")];
  const errors: FieldError[] = [];
  const check = (name: string, text: string, where: FieldPath) => {
    const { error } = countIndexes(text, completions ?? 0);
    if (error) errors.push(invalid(where, text, `error parsing ${name}: ${error}`));
  };
  if (changes.completedIndexes && completions !== undefined) check("completedIndexes", completed, completedAt);
  const mayFail = completions !== undefined && backoffLimitPerIndex !== undefined;
  if (changes.failedIndexes && mayFail && failed !== undefined) check("failedIndexes", failed, failedAt);
  if (changes.completedIndexes && completed && completionMode !== "Indexed") {
    const why = "cannot set non-empty completedIndexes when non-indexed completion mode";
    errors.push(invalid(completedAt, completed, why));
  }
  if (changes.failedIndexes && backoffLimitPerIndex === undefined && failed !== undefined) {
    errors.push(invalid(failedAt, failed, "cannot set non-null failedIndexes when backoffLimitPerIndex is null"));
  }
  const isEither = changes.failedIndexes || changes.completedIndexes;
  const shared = isEither && completions !== undefined ? overlap(completed, failed ?? "", completions) : undefined;
  if (shared !== undefined) {
    errors.push(invalid(failedAt, failed, `failedIndexes and completedIndexes overlap at index: ${shared}`));
  }
  return errors;
}

function hasTerminating(job: Job): boolean {
  return isFinished(job) && (job.status.terminating ?? 0) > 0;
}

function validateSuccess(job: Job): FieldError[] {
  const isMet = hasCondition(job, "SuccessCriteriaMet");
  const errors: FieldError[] = [];
  for (const type of ["Failed", "FailureTarget"]) {
    const why = `cannot set SuccessCriteriaMet=True and ${type}=true conditions`;
    if (isMet && hasCondition(job, type)) errors.push(invalidWithoutValue(conditionsAt, why));
  }
  if (job.spec.successPolicy && !isMet && hasCondition(job, "Complete")) {
    const why = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
    errors.push(invalidWithoutValue(conditionsAt, why));
  }
  return errors;
}

/** Validates that fields do not go back. */
function validateTransition(next: Job, previous: Job): FieldError[] {
  const [current, old] = [next.status, previous.status];
  const errors: FieldError[] = [];
  const refuse = (why: string) => errors.push(invalidWithoutValue(conditionsAt, why));
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (hasCondition(previous, type) && !hasCondition(next, type)) {
      refuse(`cannot disable the terminal ${type}=True condition`);
    }
  }
  const { completionMode, completions, parallelism } = next.spec;
  const mayShrink = completionMode === "Indexed" && completions === parallelism;
  for (const field of mayShrink ? (["failed"] as const) : (["failed", "succeeded"] as const)) {
    if ((current[field] ?? 0) >= (old[field] ?? 0)) continue;
    errors.push(invalid(at.child(field), current[field] ?? 0, `cannot decrease the ${field} counter`));
  }
  const [ended, endedBefore] = [current.completionTime, old.completionTime];
  if (ended !== undefined && endedBefore !== undefined && ended !== endedBefore) {
    errors.push(invalid(at.child("completionTime"), ended, "field is immutable"));
  }
  const isResumed = hasCondition(previous, "Suspended") && hasCondition(next, "Suspended", "False");
  const isMoved = old.startTime !== undefined && old.startTime !== current.startTime;
  if (isMoved && !isResumed && !next.spec.suspend) {
    errors.push(invalid(at.child("startTime"), current.startTime, "field is immutable for unsuspended job once set"));
  }
  const [isMet, wasMet] = [hasCondition(next, "SuccessCriteriaMet"), hasCondition(previous, "SuccessCriteriaMet")];
  if (wasMet && !isMet) refuse("cannot disable the SuccessCriteriaMet=True condition");
  if (hasCondition(previous, "Complete") && !wasMet && isMet) {
    refuse("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
  return errors;
}
