// Returns the API warnings of jobs and job templates.
import type { JobSpec } from "../../../../shared/k8s/api/batch-v1.ts";
import type { FieldPath } from "../../../../shared/k8s/field.ts";
import { podTemplateWarnings } from "../../core/pod/template.ts";

const completionsSoft = 100_000;
const parallelismSoft = 10_000;

export function jobSpecWarnings(spec: JobSpec, at: FieldPath): string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const isHuge = completionMode === "Indexed" && completions > completionsSoft && parallelism > parallelismSoft;
  const text =
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
  return [
    ...(isHuge ? [`${at}: ${text}`] : []),
    ...podTemplateWarnings(template.spec, template.metadata, at.child("template")),
  ];
}
