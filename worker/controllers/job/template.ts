// The pods of a job as they are made: held until counted, and told their index.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { type Workload, podFromTemplate } from "../common/pod-control.ts";
import { failuresAfter } from "./indexes.ts";
import { completionIndexKey, ignoredIndexFailuresKey, indexFailuresKey, trackingFinalizer } from "./pods.ts";

const indexVariable = "JOB_COMPLETION_INDEX";
/** The room that a generated name leaves for its prefix. */
const longestPrefix = 58;

export function jobPod(workload: Workload, job: Job): Draft<Pod> {
  const draft = podFromTemplate(workload, job.spec.template);
  const others = (draft.metadata?.finalizers ?? []).filter((one) => one !== trackingFinalizer);
  return { ...draft, metadata: { ...draft.metadata, finalizers: [...others, trackingFinalizer] } };
}

/** `replaced` is the failed pod of the same index that this one comes for. */
export function indexedPod(workload: Workload, job: Job, index: number, replaced: Pod | undefined): Draft<Pod> {
  const { metadata } = jobPod(workload, job);
  const { spec } = job.spec.template;
  const suffix = `-${index}-`;
  const name = job.metadata.name ?? "";
  const place = { [completionIndexKey]: String(index) };
  const containers = spec.containers.map(withIndexVariable);
  return {
    metadata: {
      ...metadata,
      generateName: `${name.slice(0, longestPrefix - suffix.length)}${suffix}`,
      labels: { ...metadata?.labels, ...place },
      annotations: { ...metadata?.annotations, ...place, ...failureAnnotations(job, replaced) },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      containers,
      ...(spec.initContainers ? { initContainers: spec.initContainers.map(withIndexVariable) } : {}),
    },
  };
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  const { counted, ignored } = failuresAfter(replaced, job);
  return {
    [indexFailuresKey]: String(counted),
    ...(ignored > 0 ? { [ignoredIndexFailuresKey]: String(ignored) } : {}),
  };
}

function withIndexVariable(container: Container): Container {
  if (container.env?.some(({ name }) => name === indexVariable)) return container;
  const fieldPath = `metadata.labels['${completionIndexKey}']`;
  return {
    ...container,
    env: [...(container.env ?? []), { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }],
  };
}
