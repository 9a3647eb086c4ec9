// Priority: a pod's priority and preemption policy follow from its priority class.
import type { Pod, PreemptionPolicy } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../kinds/pods.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { forbiddenBy } from "./refuse.ts";
import { writeOf } from "./writes.ts";

interface Class {
  readonly value: number;
  readonly preemption: PreemptionPolicy;
}

/** The classes that every cluster has. */
const builtIn: Readonly<Record<string, Class>> = {
  "system-cluster-critical": { value: 2_000_000_000, preemption: "PreemptLowerPriority" },
  "system-node-critical": { value: 2_000_001_000, preemption: "PreemptLowerPriority" },
};
const withoutClass: Class = { value: 0, preemption: "PreemptLowerPriority" };

export const priority: AdmissionPlugin = {
  name: "Priority",
  mutate(request) {
    const write = writeOf(pods, request, "CREATE", "UPDATE");
    if (!write) return;
    if (request.operation === "CREATE") resolve(write.object, request);
    else if (write.previous) keep(write.object, write.previous);
  },
};

function resolve({ spec }: Pod, request: AdmissionRequest): void {
  const name = spec.priorityClassName;
  const found = name ? builtIn[name] : withoutClass;
  if (!found) throw forbiddenBy(request, `no PriorityClass with name ${name} was found`);
  const computed = (value: number | string) =>
    `must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
  if (spec.priority !== undefined && spec.priority !== found.value) {
    throw forbiddenBy(request, `the integer value of priority (${spec.priority}) ${computed(found.value)}`);
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== found.preemption) {
    const given = `the string value of PreemptionPolicy (${spec.preemptionPolicy})`;
    throw forbiddenBy(request, `${given} ${computed(found.preemption)}`);
  }
  spec.priority = found.value;
  spec.preemptionPolicy = found.preemption;
}

/** An update that leaves them out keeps them. */
function keep({ spec }: Pod, previous: Pod): void {
  if (previous.spec.priority !== undefined) spec.priority ??= previous.spec.priority;
  if (previous.spec.preemptionPolicy !== undefined) spec.preemptionPolicy ??= previous.spec.preemptionPolicy;
}
