// Combines the proposals of an autoscaler's metrics: the highest one wins.
import type { MetricStatus } from "../../../shared/k8s/api/autoscaling-v2.ts";
import { parseSelector, type Selector } from "../../../shared/k8s/selectors/labels.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { horizontalPodAutoscalers } from "../../kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { type Proposal, propose, type InvalidMetric, type Sources } from "./proposals.ts";
import { toleranceOf } from "./replica-count.ts";
import type { Failure } from "./requests.ts";
import { type ScaleTarget, scaleTarget } from "./scale-target.ts";
import { type Sync, setCondition } from "./state.ts";

export interface Wanted {
  readonly replicas: number;
  readonly metric: string;
  /** Whether some metrics have no proposal. */
  readonly partly: boolean;
}

/** The empty status of a metric without a proposal. */
const unknown: MetricStatus = { type: "" };

export function computeReplicas(sync: Sync, target: ScaleTarget): Wanted | Failure {
  const { autoscaler, context } = sync;
  const selector = checkSelector(sync, target.selector);
  if ("failure" in selector) return selector;
  const sources: Sources = {
    client: context.client,
    autoscaler,
    selector,
    pods: sync.pods,
    currentReplicas: target.replicas,
    statusReplicas: target.statusReplicas,
    tolerance: toleranceOf(autoscaler),
    nowMs: context.nowMs,
  };
  const { metrics: specs = [] } = autoscaler.spec;
  const proposals = specs.map((spec) => {
    const proposal = propose(sources, spec);
    if (isInvalid(proposal)) context.event(autoscaler, "Warning", proposal.reason, proposal.message);
    return proposal;
  });
  sync.metrics = proposals.map((proposal) => (isInvalid(proposal) ? unknown : proposal.status));
  const refusals = proposals.filter(isInvalid);
  const best = proposals.reduce<Proposal | undefined>(
    (best, proposal) => (isInvalid(proposal) ? best : higher(best, proposal)),
    undefined,
  );
  const [first] = refusals;
  // If a metric is unknown, the others cannot reduce the replicas.
  if (first && (!best || best.replicas < target.replicas)) {
    const message = `the HPA was unable to compute the replica count: ${first.message}`;
    setCondition(sync, "ScalingActive", "False", first.reason, message);
    const count = `${refusals.length} invalid out of ${specs.length}`;
    return { failure: `invalid metrics (${count}), first error is: ${first.context}${first.message}` };
  }
  const metric = best?.metric ?? "";
  const message = `the HPA was able to successfully calculate a replica count from ${metric}`;
  setCondition(sync, "ScalingActive", "True", "ValidMetricFound", message);
  return { replicas: best?.replicas ?? 0, metric, partly: refusals.length > 0 };
}

function isInvalid(proposal: Proposal | InvalidMetric): proposal is InvalidMetric {
  return "reason" in proposal;
}

function higher(best: Proposal | undefined, next: Proposal): Proposal {
  return !best || best.replicas === 0 || next.replicas > best.replicas ? next : best;
}

/** Parses the selector, which must exist and must not select pods of another autoscaler. Sets the pods of the sync. */
function checkSelector(sync: Sync, text: string): Selector | Failure {
  if (text === "") {
    const message = "the HPA target's scale is missing a selector";
    return refuse(sync, "SelectorRequired", "selector is required", "InvalidSelector", message);
  }
  const selector = selectorOrFailure(text);
  if ("failure" in selector) {
    const why = `couldn't convert selector into a corresponding internal selector object: ${selector.failure}`;
    return refuse(sync, "InvalidSelector", why, "InvalidSelector", why);
  }
  const { namespace = "" } = sync.autoscaler.metadata;
  sync.pods = sync.context.client.list(pods, { namespace, labels: selector });
  const rivals = rivalsOf(sync);
  if (rivals.length <= 1) return selector;
  const why = `pods by selector ${text} are controlled by multiple HPAs: [${rivals.join(" ")}]`;
  return refuse(sync, "AmbiguousSelector", why, "AmbiguousSelector", why);
}

function selectorOrFailure(text: string): Selector | Failure {
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof ApiError) return { failure: error.message };
    throw error;
  }
}

function refuse(sync: Sync, event: string, failure: string, reason: string, message: string): Failure {
  sync.context.event(sync.autoscaler, "Warning", event, failure);
  setCondition(sync, "ScalingActive", "False", reason, message);
  return { failure };
}

/** Returns every autoscaler of these pods as namespace and name. */
function rivalsOf({ autoscaler, context, pods: ours }: Sync): string[] {
  const { client } = context;
  const { namespace = "" } = autoscaler.metadata;
  if (ours.length === 0) return [];
  return client.list(horizontalPodAutoscalers, { namespace }).flatMap((candidate) => {
    const target = scaleTarget(client, candidate);
    if ("failure" in target || target.selector === "") return [];
    const selector = selectorOrFailure(target.selector);
    const isRival = !("failure" in selector) && ours.some(({ metadata }) => selector.matches(metadata.labels));
    return isRival ? [`${namespace}/${candidate.metadata.name ?? ""}`] : [];
  });
}
