// Upstream's defaults of jobs.
import type { Job, JobSpec } from "../../../../shared/k8s/api/batch-v1.ts";
import { defaultPodTemplate } from "../../core/pod/template.ts";

const backoffLimit = 6;
const maxInt32 = 2 ** 31 - 1;

export function defaultJob(job: Job): void {
  const { spec } = job;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? backoffLimit : maxInt32;
  followTemplateLabels(job);
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
  defaultJobTemplate(spec);
}

/** Sets the defaults that the template of a CronJob also has. */
export function defaultJobTemplate(spec: JobSpec): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
  defaultPodTemplate(spec.template);
}

/** Uses the labels of the template for a job without labels. Both share one instance, so later additions apply to both. */
export function followTemplateLabels({ metadata, spec }: Job): void {
  const { labels } = spec.template.metadata;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}
