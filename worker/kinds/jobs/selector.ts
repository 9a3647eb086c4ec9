// The selector that a job gets so that it counts its own pods alone, and the labels that go with it.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import { type FieldError, invalid, path, required } from "../../../shared/k8s/field.ts";
import { selectorFrom } from "../../../shared/k8s/labels.ts";
import { isSelector } from "../workloads/validate-template.ts";
import { followTemplateLabels } from "./defaults.ts";

const nameLabels = ["job-name", "batch.kubernetes.io/job-name"];
const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"];
const selected = "batch.kubernetes.io/controller-uid";

/** Adds what is missing; what a user has set otherwise is refused by validation. */
export function generateSelector(job: Job): void {
  const { metadata, spec } = job;
  if (!spec.manualSelector) {
    const template = spec.template.metadata;
    const isFollowed = metadata.labels === template.labels;
    template.labels = sorted({ ...ownLabels(job), ...template.labels });
    if (isFollowed) metadata.labels = template.labels;
    spec.selector ??= {};
    spec.selector.matchLabels = sorted({ [selected]: metadata.uid ?? "", ...spec.selector.matchLabels });
  }
  followTemplateLabels(job);
}

/** As Go prints maps. */
function sorted(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function validateGeneratedSelector(job: Job): FieldError[] {
  const { metadata, spec } = job;
  if (spec.manualSelector || !spec.selector) return [];
  const errors = metadata.uid ? [] : [required(path("metadata", "uid"))];
  const { labels } = spec.template.metadata;
  const own = ownLabels(job);
  for (const label of [uidLabels[0], nameLabels[0], uidLabels[1], nameLabels[1]]) {
    if (label === undefined) continue;
    const at = path("spec", "template", "metadata", "labels").key(label);
    const why = `must be '${own[label]}'`;
    if (labels?.[label] === undefined) errors.push(required(at, why));
    else if (labels[label] !== own[label]) errors.push(invalid(at, labels, why));
  }
  if (isSelector(spec.selector) && !selectorFrom(spec.selector).matches(own)) {
    errors.push(invalid(path("spec", "selector"), spec.selector, "`selector` not auto-generated"));
  }
  return errors;
}

function ownLabels({ metadata: { name = "", uid = "" } }: Job): Record<string, string> {
  const names = nameLabels.map((label) => [label, name] as const);
  const uids = uidLabels.map((label) => [label, uid] as const);
  return Object.fromEntries([...names, ...uids]);
}
