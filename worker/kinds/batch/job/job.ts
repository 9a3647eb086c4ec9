// The kind Job of batch.
import type { Job } from "../../../../shared/k8s/api/batch-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { type FieldError, invalid, path, required } from "../../../../shared/k8s/field.ts";
import { labelSelectorAsSelector } from "../../../../shared/k8s/selectors/labels.ts";
import { dns1123Label } from "../../../../shared/k8s/names.ts";
import { defineKind } from "../../kind.ts";
import { defaultJob, followTemplateLabels } from "./defaults.ts";
import { jobColumns, jobColumnsBefore134 } from "./printers.ts";
import { validateJobSpec } from "./validation/spec.ts";
import { validateJobStatus } from "./validation/status.ts";
import { validateJobUpdate } from "./validation/update.ts";
import { jobSpecWarnings } from "./warnings.ts";
import { dropDisabledOfTemplate } from "../../core/pod/disabled-fields.ts";
import { podNameWarnings, isSelector } from "../../apps/template-validation.ts";

const nameLabels = ["job-name", "batch.kubernetes.io/job-name"];
const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"];
const selected = "batch.kubernetes.io/controller-uid";

export const jobs = defineKind<Job>("batch", "v1", "jobs", {
  deletion: {
    orphansDependents: true,
    orphanWarning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  defaults: defaultJob,
  prepareForCreate(draft, { features }) {
    generateSelector(draft);
    dropDisabledOfTemplate(draft.spec.template, undefined, features);
  },
  prepareForUpdate(draft, previous, { features }) {
    dropDisabledOfTemplate(draft.spec.template, previous.spec.template, features);
  },
  validate: (job) => [
    ...validateGeneratedSelector(job),
    ...validateJobSpec(job.spec, path("spec")),
    ...validateHostname(job),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
    ...validateJobUpdate(next, previous),
  ],
  warnings(next, previous) {
    if (previous && previous.metadata.generation === next.metadata.generation) return [];
    return [...(previous ? [] : podNameWarnings(next.metadata)), ...jobSpecWarnings(next.spec, path("spec"))];
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validateJobStatus,
    },
  },
  selectableFields: ({ status }) => ({ "status.successful": String(status.succeeded ?? 0) }),
  fieldLabelError: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  columns: jobColumns,
  inRelease: ({ minor }) => (minor < 34 ? { columns: jobColumnsBefore134 } : {}),
});

/** Validates the hostnames of an indexed job's pods, which contain the name and the index. */
function validateHostname({ metadata: { name = "" }, spec }: Job): FieldError[] {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== "Indexed" || completions <= 0) return [];
  const hostname = `${name}-${completions - 1}`;
  if (dns1123Label(hostname).length === 0) return [];
  const why = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [invalid(path("metadata", "name"), name, why)];
}

/** Adds the missing selector and labels. Validation rejects different user values. */
function generateSelector(job: Job): void {
  const { metadata, spec } = job;
  if (!spec.manualSelector) {
    const template = spec.template.metadata;
    const isFollowed = metadata.labels === template.labels;
    template.labels = sortLabels({ ...ownLabels(job), ...template.labels });
    if (isFollowed) metadata.labels = template.labels;
    spec.selector ??= {};
    spec.selector.matchLabels = sortLabels({ [selected]: metadata.uid ?? "", ...spec.selector.matchLabels });
  }
  followTemplateLabels(job);
}

/** Sorts labels as Go prints maps. */
function sortLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function validateGeneratedSelector(job: Job): FieldError[] {
  const { metadata, spec } = job;
  if (spec.manualSelector || !spec.selector) return [];
  const errors = metadata.uid ? [] : [required(path("metadata", "uid"))];
  const { labels } = spec.template.metadata;
  const jobLabels = ownLabels(job);
  for (const label of [uidLabels[0], nameLabels[0], uidLabels[1], nameLabels[1]]) {
    if (label === undefined) continue;
    const at = path("spec", "template", "metadata", "labels").key(label);
    const why = `must be '${jobLabels[label]}'`;
    if (labels?.[label] === undefined) errors.push(required(at, why));
    else if (labels[label] !== jobLabels[label]) errors.push(invalid(at, labels, why));
  }
  if (isSelector(spec.selector) && !labelSelectorAsSelector(spec.selector).matches(jobLabels)) {
    errors.push(invalid(path("spec", "selector"), spec.selector, "`selector` not auto-generated"));
  }
  return errors;
}

function ownLabels({ metadata: { name = "", uid = "" } }: Job): Record<string, string> {
  const names = nameLabels.map((label) => [label, name] as const);
  const uids = uidLabels.map((label) => [label, uid] as const);
  return Object.fromEntries([...names, ...uids]);
}
