// PodSecurity: enforces the level in the labels of a namespace on its pods, and warns about workloads whose pods would violate it.
import type { Namespace, Pod, PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { CronJob } from "../../../shared/k8s/api/batch-v1.ts";
import type { FieldError } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { cronJobs } from "../../kinds/batch/cron-job.ts";
import { daemonSets } from "../../kinds/apps/daemon-set.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { jobs } from "../../kinds/batch/job/job.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { podTemplates } from "../../kinds/core/pod-template.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import { replicationControllers } from "../../kinds/core/replication-controller.ts";
import { statefulSets } from "../../kinds/apps/stateful-set.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { annotate } from "../common/annotations.ts";
import { existingPodWarnings } from "./existing-pods.ts";
import { compareLevels, isFree, type LevelVersion, levelText, policyOf, servedLevel } from "./policy.ts";
import { violationsOf } from "./standards.ts";
import { containersOf, type PodLike } from "./subject.ts";
import type { Violation } from "./wording.ts";
import { newForbidden } from "../common/errors.ts";

const ignoredSubresources = new Set([
  ...["attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"],
]);

export const podSecurity: AdmissionPlugin = {
  name: "PodSecurity",
  validate(request) {
    const { kind, operation, object, subresource } = request;
    if (!object || (operation !== "CREATE" && operation !== "UPDATE")) return;
    // The resource determines the type.
    if (kind.resource === namespaces.resource) {
      if (subresource === "") checkNamespace(request, object as Namespace);
    } else if (kind.resource === pods.resource) {
      if (!ignoredSubresources.has(subresource)) checkPod(request, object as Pod);
    } else {
      const template = subresource === "" ? templateOf(request, object) : undefined;
      if (template) checkTemplate(request, template);
    }
  },
};

function checkNamespace(request: AdmissionRequest, next: Namespace): void {
  const { policy, errors } = policyOf(next.metadata.labels);
  const invalid = ApiError.invalid(request.kind.groupKind, request.name, errors);
  if (request.operation === "CREATE") {
    if (errors.length > 0) throw invalid;
    return;
  }
  const before = policyOf(request.oldObject?.metadata.labels);
  const isNew = JSON.stringify(errors) !== JSON.stringify(before.errors);
  if (errors.length > 0 && isNew) throw invalid;
  const [to, from] = [policy.enforce, before.policy.enforce];
  if (to.level === "privileged") return;
  if (to.minor === from.minor && compareLevels(to.level, from.level) < 1) return;
  for (const warning of existingPodWarnings(request, to)) request.warn(warning);
}

function checkPod(request: AdmissionRequest, pod: Pod): void {
  const { policy, errors } = policyFor(request);
  if (errors.length === 0 && isFree(policy)) {
    note(request, "enforce-policy", levelText(policy.enforce));
    return;
  }
  // The resource determines the type.
  if (request.operation === "UPDATE" && !isSignificantPodUpdate(pod, request.oldObject as Pod)) return;
  noteErrors(request, errors);
  note(request, "enforce-policy", levelText(policy.enforce));
  const violations = violationsOf(pod, servedLevel(request, policy.enforce));
  noteViolations(request, pod, policy.audit);
  if (violations.length > 0) {
    throw newForbidden(request, `violates PodSecurity "${levelText(policy.enforce)}": ${details(violations)}`);
  }
  warn(request, pod, policy.warn);
}

function checkTemplate(request: AdmissionRequest, template: PodLike): void {
  const { policy, errors } = policyFor(request);
  if (errors.length === 0 && policy.warn.level === "privileged" && policy.audit.level === "privileged") return;
  noteErrors(request, errors);
  noteViolations(request, template, policy.audit);
  warn(request, template, policy.warn);
}

/** Adds an audit annotation. */
function note(request: AdmissionRequest, key: string, value: string): void {
  annotate(request, `pod-security.kubernetes.io/${key}`, value);
}

function noteErrors(request: AdmissionRequest, errors: readonly FieldError[]): void {
  const [first, ...more] = errors.map(({ field, message }) => `${field}: ${message}`);
  if (first === undefined) return;
  note(request, "error", `Failed to parse policy: ${more.length ? `[${[first, ...more].join(", ")}]` : first}`);
}

function noteViolations(request: AdmissionRequest, pod: PodLike, level: LevelVersion): void {
  const violations = violationsOf(pod, servedLevel(request, level));
  if (violations.length === 0) return;
  note(request, "audit-violations", `would violate PodSecurity "${levelText(level)}": ${details(violations)}`);
}

function policyFor({ namespace, context }: AdmissionRequest) {
  return policyOf(context.get(namespaces, "", namespace)?.metadata.labels);
}

function warn(request: AdmissionRequest, pod: PodLike, level: LevelVersion): void {
  const violations = violationsOf(pod, servedLevel(request, level));
  if (violations.length > 0) {
    request.warn(`would violate PodSecurity "${levelText(level)}": ${details(violations)}`);
  }
}

function details(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason)).join(", ");
}

/** Reports whether an update is relevant: of the checked fields only images can change. */
function isSignificantPodUpdate({ spec: next }: Pod, { spec: previous }: Pod): boolean {
  if (next.containers.length !== previous.containers.length) return true;
  if (next.initContainers?.length !== previous.initContainers?.length) return true;
  const images = new Map(containersOf(previous).map(({ name, image }) => [name, image]));
  return containersOf(next).some(({ name, image }) => images.get(name) !== image);
}

const templated = new Set(
  [replicaSets, replicationControllers, deployments, statefulSets, daemonSets, jobs].map(({ resource }) => resource),
);

function templateOf({ kind }: AdmissionRequest, object: KubeObject): PodLike | undefined {
  // The resource determines the type.
  if (kind.resource === podTemplates.resource) return (object as KubeObject & { template: PodTemplateSpec }).template;
  if (kind.resource === cronJobs.resource) return (object as CronJob).spec.jobTemplate.spec.template;
  if (!templated.has(kind.resource)) return undefined;
  return (object as KubeObject & { spec: { template?: PodTemplateSpec } }).spec.template;
}
