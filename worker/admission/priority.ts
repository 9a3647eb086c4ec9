// Priority: a pod's priority and preemption policy follow from its priority class; only one class is the default of all.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PriorityClass } from "../../shared/k8s/api/scheduling-v1.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { priorityClasses } from "../kinds/scheduling/priority-class.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";
import { handled } from "./common/handled.ts";

export const priority: AdmissionPlugin = {
  name: "Priority",
  mutate(request) {
    const write = handled(pods, request, "CREATE", "UPDATE");
    if (!write) return;
    if (request.operation === "CREATE") resolve(write.object, request);
    else if (write.previous) keep(write.object, write.previous);
  },
  validate(request) {
    const wanted = handled(priorityClasses, request, "CREATE", "UPDATE")?.object;
    const found = wanted?.globalDefault ? defaultClass(request) : undefined;
    if (!wanted || !found) return;
    const isItself = request.operation === "UPDATE" && found.metadata.name === wanted.metadata.name;
    if (isItself) return;
    const name = found.metadata.name ?? "";
    throw newForbidden(request, `PriorityClass ${name} is already marked as default. Only one default can exist`);
  },
};

function resolve({ spec }: Pod, request: AdmissionRequest): void {
  const name = spec.priorityClassName;
  const found = name ? request.context.get(priorityClasses, "", name) : defaultClass(request);
  if (name && !found) throw newForbidden(request, `no PriorityClass with name ${name} was found`);
  const { value, policy } = {
    value: found?.value ?? 0,
    policy: found ? found.preemptionPolicy : "PreemptLowerPriority",
  };
  const computed = (given: number | string) =>
    `must not be provided in pod spec; priority admission controller computed ${given} from the given PriorityClass name`;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw newForbidden(request, `the integer value of priority (${spec.priority}) ${computed(value)}`);
  }
  if (spec.preemptionPolicy !== undefined && policy !== undefined && spec.preemptionPolicy !== policy) {
    const given = `the string value of PreemptionPolicy (${spec.preemptionPolicy})`;
    throw newForbidden(request, `${given} ${computed(policy)}`);
  }
  if (found) spec.priorityClassName = found.metadata.name ?? "";
  spec.priority = value;
  if (policy !== undefined) spec.preemptionPolicy = policy;
}

/** The class of pods that name none: of several, the one of the least value. */
function defaultClass({ context }: AdmissionRequest): PriorityClass | undefined {
  let found: PriorityClass | undefined;
  for (const one of context.list(priorityClasses)) {
    if (one.globalDefault && (!found || one.value < found.value)) found = one;
  }
  return found;
}

/** An update that leaves them out keeps them. */
function keep({ spec }: Pod, previous: Pod): void {
  if (previous.spec.priority !== undefined) spec.priority ??= previous.spec.priority;
  if (previous.spec.preemptionPolicy !== undefined) spec.preemptionPolicy ??= previous.spec.preemptionPolicy;
}
