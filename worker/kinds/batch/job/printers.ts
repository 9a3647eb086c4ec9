// The columns of `kubectl get jobs`, and of `-o wide`.
import type { Job } from "../../../../shared/k8s/api/batch-v1.ts";
import { formatLabelSelector } from "../../../../shared/k8s/selectors/labels.ts";
import { humanDuration, parseTime } from "../../../../shared/k8s/time.ts";
import { selectorColumn, templateColumns } from "../../apps/template-printers.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import type { Column } from "../../kind.ts";
import { hasCondition } from "./conditions.ts";

export const jobColumns = columnsWith(statusText);

/** The columns before 1.34, where a job that has met its success policy is still Running. */
export const jobColumnsBefore134 = columnsWith((job) => {
  const text = statusText(job);
  return text === "SuccessCriteriaMet" ? "Running" : text;
});

function columnsWith(status: (job: Job) => string): readonly Column<Job>[] {
  return [
    nameColumn,
    { name: "Status", type: "string", description: "How far the job is.", cell: status },
    {
      name: "Completions",
      type: "string",
      description: "How many pods succeeded, of how many there should be.",
      cell: completionsText,
    },
    {
      name: "Duration",
      type: "string",
      description: "How long the job took, or has been running.",
      cell: ({ status: { startTime, completionTime } }, nowMs) =>
        startTime ? humanDuration((completionTime ? parseTime(completionTime) : nowMs) - parseTime(startTime)) : "",
    },
    ageColumn,
    ...templateColumns<Job>(({ spec }) => spec.template.spec),
    selectorColumn<Job>(({ spec }) => formatLabelSelector(spec.selector)),
  ];
}

function statusText(job: Job): string {
  if (hasCondition(job, "Complete")) return "Complete";
  if (hasCondition(job, "Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => hasCondition(job, type)) ?? "Running";
}

function completionsText({ spec: { completions, parallelism = 0 }, status: { succeeded = 0 } }: Job): string {
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}
