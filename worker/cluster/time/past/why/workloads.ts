// The reasons why a workload waits: its pods, failed creations of its controller, and its settings.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../../../shared/k8s/api/apps-v1.ts";
import type { CronJob, Job } from "../../../../../shared/k8s/api/batch-v1.ts";
import type { Reason } from "../../../../../shared/contract/cluster/past.ts";
import type { KubeObject } from "../../../../../shared/k8s/meta.ts";
import { replicaSets } from "../../../../kinds/apps/replica-set.ts";
import { jobs } from "../../../../kinds/batch/job/job.ts";
import { pods } from "../../../../kinds/core/pod/pod.ts";
import {
  type Condition,
  conditionOf,
  type Explain,
  textOf,
  troublesOf,
  warningsOf,
  type WhyContext,
} from "./context.ts";

export const whyDeployment: Explain<Deployment> = (object, context) => {
  const { spec, status, metadata } = object;
  const desired = spec.replicas ?? 1;
  const behind = notObserved(object, status.observedGeneration);
  if (behind) return behind;
  const available = Math.min(status.updatedReplicas ?? 0, status.availableReplicas ?? 0);
  if (available >= desired && (status.replicas ?? 0) <= desired)
    return { state: "fine", because: `${available} of ${desired} pods are up to date and available` };
  const sets = context.client
    .controlledBy(replicaSets, metadata.uid ?? "")
    .filter(({ spec: { replicas } }) => (replicas ?? 0) > 0);
  const reasons = troublesOf(context, replicaSets, sets);
  const failure = failureOf(status.conditions);
  if (failure) return { state: "fails", because: failure, reasons };
  const counted = `${available} of ${desired} pods are up to date and available`;
  if (spec.paused)
    return {
      state: "waits",
      because: `it is paused, and ${counted}`,
      see: `kubectl rollout resume deployment ${metadata.name} -n ${metadata.namespace}`,
      reasons,
    };
  const progress = conditionOf(status.conditions, "Progressing");
  const state = progress?.status === "False" ? "fails" : "waits";
  return {
    state,
    because: `${counted}${state === "fails" && progress ? ` (${textOf(progress)})` : ""}`,
    reasons,
  };
};

export const whyReplicaSet: Explain<ReplicaSet> = (object, context) =>
  ofPods(object, context, {
    desired: object.spec.replicas ?? 1,
    available: object.status.availableReplicas ?? 0,
    observed: object.status.observedGeneration,
    conditions: object.status.conditions,
  });

export const whyStatefulSet: Explain<StatefulSet> = (object, context) =>
  ofPods(object, context, {
    desired: object.spec.replicas ?? 1,
    available: object.status.availableReplicas,
    observed: object.status.observedGeneration,
    conditions: object.status.conditions,
  });

export const whyDaemonSet: Explain<DaemonSet> = (object, context) =>
  ofPods(object, context, {
    desired: object.status.desiredNumberScheduled,
    available: object.status.numberAvailable ?? 0,
    observed: object.status.observedGeneration,
    conditions: object.status.conditions,
  });

export const whyJob: Explain<Job> = (object, context) => {
  const { spec, status = {}, metadata } = object;
  const conditions = status.conditions ?? [];
  const complete = conditionOf(conditions, "Complete");
  if (complete?.status === "True")
    return { state: "fine", because: `it is complete: ${status.succeeded ?? 0} pods succeeded` };
  const reasons = troublesOf(context, pods, context.client.controlledBy(pods, metadata.uid ?? ""));
  const failed = conditionOf(conditions, "Failed");
  if (failed?.status === "True") return { state: "fails", because: textOf(failed), reasons };
  if (spec?.suspend)
    return {
      state: "waits",
      because: "it is suspended",
      see: `kubectl patch job ${metadata.name} -n ${metadata.namespace} -p '{"spec":{"suspend":false}}'`,
      reasons,
    };
  const counted = `${status.succeeded ?? 0} of ${spec?.completions ?? 1} pods have succeeded, ${status.active ?? 0} run and ${status.failed ?? 0} have failed`;
  const warnings = (status.active ?? 0) === 0 ? warningsOf(context, object) : [];
  const all = [...reasons, ...warnings];
  return {
    state: all.some(({ state }) => state === "fails") ? "fails" : "waits",
    because: `${counted}`,
    reasons: all,
  };
};

export const whyCronJob: Explain<CronJob> = (object, context) => {
  const { spec, status = {}, metadata } = object;
  if (spec.suspend) return { state: "waits", because: "it is suspended" };
  const reasons = troublesOf(context, jobs, context.client.controlledBy(jobs, metadata.uid ?? ""));
  const warnings = warningsOf(context, object);
  const last = status.lastScheduleTime ? `it ran last at ${status.lastScheduleTime}` : "it has not run yet";
  const all = [...reasons, ...warnings];
  return {
    state: all.length > 0 ? "fails" : "fine",
    because: `${last}, by its schedule ${spec.schedule}`,
    reasons: all,
  };
};

interface Counts {
  readonly desired: number;
  readonly available: number;
  readonly observed: number | undefined;
  readonly conditions: readonly Condition[] | undefined;
}

function ofPods(
  object: KubeObject,
  context: WhyContext,
  { desired, available, observed, conditions }: Counts,
): Omit<Reason, "what"> {
  const behind = notObserved(object, observed);
  if (behind) return behind;
  const counted = `${available} of ${desired} pods are available`;
  if (available >= desired) return { state: "fine", because: counted };
  const ownPods = context.client.controlledBy(pods, object.metadata.uid ?? "");
  const reasons = troublesOf(context, pods, ownPods);
  const failure = failureOf(conditions);
  if (failure) return { state: "fails", because: failure, reasons };
  const warnings = ownPods.length < desired ? warningsOf(context, object) : [];
  const all = [...reasons, ...warnings];
  return {
    state: all.some(({ state }) => state === "fails") ? "fails" : "waits",
    because: `${counted}`,
    reasons: all,
  };
}

function failureOf(conditions: readonly Condition[] | undefined): string | undefined {
  const failure = conditionOf(conditions, "ReplicaFailure");
  return failure?.status === "True" ? `its pods cannot be created: ${textOf(failure)}` : undefined;
}

function notObserved({ metadata }: KubeObject, observed = 0): Omit<Reason, "what"> | undefined {
  if (observed >= (metadata.generation ?? 0)) return undefined;
  return { state: "waits", because: "its controller has not looked at its last change yet" };
}
