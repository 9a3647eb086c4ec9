// The kind PriorityClass of scheduling.k8s.io, and the two system classes.
import type { PriorityClass } from "../../../shared/k8s/api/scheduling-v1.ts";
import { type FieldError, forbidden, notSupportedInOrder, path, required } from "../../../shared/k8s/field.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";

/** The maximum value of a user's class. Higher values are for the system. */
const highestForUsers = 1_000_000_000;
const systemPrefix = "system-";
const policies = ["PreemptLowerPriority", "Never"];

export const systemPriorityClasses = [
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
] as const;

export const priorityClasses = defineKind<PriorityClass>("scheduling.k8s.io", "v1", "priorityclasses", {
  defaults(draft) {
    draft.preemptionPolicy ??= "PreemptLowerPriority";
  },
  // The generation exists, but is never raised, because a class is immutable.
  raisesGeneration: () => false,
  deletion: {
    refusal: ({ metadata }) =>
      systemPriorityClasses.some(({ name }) => name === metadata.name)
        ? "this is a system priority class and cannot be deleted"
        : undefined,
  },
  validate: (pc) => [...validateValue(pc), ...validatePolicy(pc.preemptionPolicy)],
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...(next.value === previous.value ? [] : [forbidden(path("value"), "may not be changed in an update.")]),
    ...validateImmutable(next.preemptionPolicy, previous.preemptionPolicy, path("preemptionPolicy")),
  ],
  columns: [
    nameColumn,
    { name: "Value", type: "integer", description: "The priority of the class's pods.", cell: ({ value }) => value },
    {
      name: "Global-Default",
      type: "boolean",
      description: "Whether pods without a class get this one.",
      cell: ({ globalDefault }) => globalDefault ?? false,
    },
    ageColumn,
    {
      name: "PreemptionPolicy",
      type: "string",
      description: "Whether the class's pods may drive out others.",
      cell: ({ preemptionPolicy }) => preemptionPolicy ?? "",
    },
  ],
});

function validateValue({ metadata: { name = "" }, value, globalDefault }: PriorityClass): FieldError[] {
  if (!name.startsWith(systemPrefix)) {
    if (value <= highestForUsers) return [];
    return [forbidden(path("value"), `maximum allowed value of a user defined priority is ${highestForUsers}`)];
  }
  const problem = systemProblem(name, value, globalDefault ?? false);
  const reserved = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: `;
  return problem ? [forbidden(path("metadata", "name"), `${reserved}${problem}`)] : [];
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const systemClass = systemPriorityClasses.find((candidate) => candidate.name === name);
  if (!systemClass) return `${name} is not a known system priority class`;
  if (value !== systemClass.value) return `value of ${name} PriorityClass must be ${systemClass.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePolicy(policy: string | undefined): FieldError[] {
  const at = path("preemptionPolicy");
  if (policy === undefined || policies.includes(policy)) return [];
  return policy ? [notSupportedInOrder(at, policy, policies)] : [required(at)];
}
