// Applies the pod failure policy of a job to a failed pod.
import type {
  Job,
  PodFailurePolicyAction,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../../../shared/k8s/api/batch-v1.ts";
import type { ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { keyOf } from "../../../shared/k8s/meta.ts";
import { isPodFailed } from "./pods.ts";

export interface Verdict {
  /** The action of the first matching rule, if any. */
  readonly action: PodFailurePolicyAction | undefined;
  /** The reason why the job fails; undefined if it does not. */
  readonly failsJob: string | undefined;
}

export function matchPodFailurePolicy(pod: Pod, { spec }: Job): Verdict {
  for (const [at, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const why = matches(pod, rule);
    if (why === undefined) continue;
    const { action } = rule;
    return { action, failsJob: action === "FailJob" ? `${why} matching FailJob rule at index ${at}` : undefined };
  }
  return { action: undefined, failsJob: undefined };
}

/** Reports whether a failure counts against the backoff limits. */
export function isCounted(pod: Pod, job: Job): boolean {
  return matchPodFailurePolicy(pod, job).action !== "Ignore";
}

export function getFailJobMessage(pods: readonly Pod[], job: Job): string | undefined {
  if (!job.spec.podFailurePolicy) return undefined;
  for (const pod of pods) {
    const message = isPodFailed(pod, job) ? matchPodFailurePolicy(pod, job).failsJob : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

function matches(pod: Pod, { onExitCodes, onPodConditions }: PodFailurePolicyRule): string | undefined {
  const { status } = pod;
  if (onExitCodes) {
    const ended = find(status.containerStatuses, onExitCodes) ?? find(status.initContainerStatuses, onExitCodes);
    if (!ended) return undefined;
    const code = ended.state.terminated?.exitCode ?? 0;
    return `Container ${ended.name} for pod ${keyOf(pod)} failed with exit code ${code}`;
  }
  const condition = status.conditions?.find((candidate) =>
    onPodConditions?.some((pattern) => pattern.type === candidate.type && pattern.status === candidate.status),
  );
  return condition && `Pod ${keyOf(pod)} has condition ${condition.type}`;
}

function find(
  statuses: readonly ContainerStatus[] | undefined,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): ContainerStatus | undefined {
  return statuses?.find(({ name, state }) => {
    const code = state.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return operator === "In" ? values.includes(code) : operator === "NotIn" && !values.includes(code);
  });
}
