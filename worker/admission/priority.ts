// Priority: sets a pod's priority and preemption policy from its priority class. Only one class may be the global default.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PriorityClass } from "../../shared/k8s/api/scheduling-v1.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { priorityClasses } from "../kinds/scheduling/priority-class.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";
import { writtenObject } from "./common/handled.ts";

export const priority: AdmissionPlugin = {
  name: "Priority",
  mutate(request) {
    const write = writtenObject(pods, request, "CREATE", "UPDATE");
    if (!write) return;
    if (request.operation === "CREATE") resolve(write.object, request);
    else if (write.previous) keep(write.object, write.previous);
  },
  validate(request) {
    const priorityClass = writtenObject(priorityClasses, request, "CREATE", "UPDATE")?.object;
    const existingDefault = priorityClass?.globalDefault ? defaultClass(request) : undefined;
    if (!priorityClass || !existingDefault) return;
    const isItself = request.operation === "UPDATE" && existingDefault.metadata.name === priorityClass.metadata.name;
    if (isItself) return;
    const name = existingDefault.metadata.name ?? "";
    throw newForbidden(request, `PriorityClass ${name} is already marked as default. Only one default can exist`);
  },
};

function resolve({ spec }: Pod, request: AdmissionRequest): void {
  const name = spec.priorityClassName;
  const priorityClass = name ? request.context.get(priorityClasses, "", name) : defaultClass(request);
  if (name && !priorityClass) throw newForbidden(request, `no PriorityClass with name ${name} was found`);
  const { value, policy } = {
    value: priorityClass?.value ?? 0,
    policy: priorityClass ? priorityClass.preemptionPolicy : "PreemptLowerPriority",
  };
  const computedText = (value: number | string) =>
    `must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw newForbidden(request, `the integer value of priority (${spec.priority}) ${computedText(value)}`);
  }
  if (spec.preemptionPolicy !== undefined && policy !== undefined && spec.preemptionPolicy !== policy) {
    const subject = `the string value of PreemptionPolicy (${spec.preemptionPolicy})`;
    throw newForbidden(request, `${subject} ${computedText(policy)}`);
  }
  if (priorityClass) spec.priorityClassName = priorityClass.metadata.name ?? "";
  spec.priority = value;
  if (policy !== undefined) spec.preemptionPolicy = policy;
}

/** Returns the default class: of several, the one with the lowest value. */
function defaultClass({ context }: AdmissionRequest): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const priorityClass of context.list(priorityClasses)) {
    if (priorityClass.globalDefault && (!lowest || priorityClass.value < lowest.value)) lowest = priorityClass;
  }
  return lowest;
}

/** Keeps the fields that an update leaves out. */
function keep({ spec }: Pod, previous: Pod): void {
  if (previous.spec.priority !== undefined) spec.priority ??= previous.spec.priority;
  if (previous.spec.preemptionPolicy !== undefined) spec.preemptionPolicy ??= previous.spec.preemptionPolicy;
}
