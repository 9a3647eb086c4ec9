// The kind MutatingAdmissionPolicy of admissionregistration.k8s.io.
import type { MutatingAdmissionPolicy, Mutation } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupported, path, required } from "../../../shared/k8s/field.ts";
import { validateMatchConditions } from "./match-conditions.ts";
import {
  failurePolicies,
  reinvocationPolicies,
  validateChoice,
  validateConstraints,
  validateParamKind,
  validateVariables,
} from "./policies.ts";
import { policyBehaviour } from "./policy-behaviour.ts";
import { validateMutatingOperations } from "./rules.ts";
import { type Scope, compileExpression, compileVariables, expressionErrors, outcomes } from "./expressions.ts";
import { type Kind, defineKind } from "../kind.ts";

type Policy = MutatingAdmissionPolicy;

/** The field of the expression by patch type. */
const patchFields = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

export const mutatingAdmissionPolicies: Kind<Policy> = defineKind<Policy>(
  "admissionregistration.k8s.io",
  "v1",
  "mutatingadmissionpolicies",
  {
    ...policyBehaviour<Policy>(() => mutatingAdmissionPolicies, specErrors, {
      name: "Mutations",
      description: "How many mutations the policy has.",
      cell: ({ spec }) => spec.mutations?.length ?? 0,
    }),
  },
);

function specErrors({ spec }: Policy): FieldError[] {
  const at = path("spec");
  const { paramKind, matchConstraints, matchConditions = [], variables = [], mutations = [] } = spec;
  const constraintsAt = at.child("matchConstraints");
  const declared = { hasParams: paramKind !== undefined, hasAuthorizer: true };
  const scope: Scope = { ...declared, hasPatchTypes: true, variables: compileVariables(variables, declared).types };
  return [
    ...validateChoice(spec.failurePolicy, at.child("failurePolicy"), failurePolicies),
    ...(paramKind ? validateParamKind(paramKind, at.child("paramKind")) : []),
    ...validateConstraints(matchConstraints, constraintsAt),
    ...validateMutatingOperations(matchConstraints?.resourceRules ?? [], constraintsAt),
    ...validateMatchConditions(matchConditions, at.child("matchConditions"), paramKind !== undefined),
    ...validateVariables(variables, declared, at.child("variables")),
    ...(mutations.length ? [] : [required(at.child("mutations"), "mutations must contain at least one item")]),
    ...mutations.flatMap((mutation, index) => validateMutation(mutation, scope, at.child("mutations").index(index))),
    ...validateChoice(spec.reinvocationPolicy || undefined, at.child("reinvocationPolicy"), reinvocationPolicies),
  ];
}

function validateMutation(mutation: Mutation, scope: Scope, at: FieldPath): FieldError[] {
  const type = mutation.patchType;
  if (!type) return [required(at.child("patchType"))];
  if (!Object.hasOwn(patchFields, type)) {
    return [notSupported(at.child("patchType"), type, Object.keys(patchFields))];
  }
  const ours = patchFields[type];
  const otherField = ours === "jsonPatch" ? "applyConfiguration" : "jsonPatch";
  const patch = mutation[ours];
  const errors: FieldError[] = [];
  if (!patch) errors.push(required(at.child(ours), `must be specified when patchType is ${type}`));
  else if (!patch.expression?.trim()) errors.push(required(at.child(ours, "expression")));
  else {
    const compiled = compileExpression(patch.expression.trim(), scope, outcomes[ours]);
    errors.push(...expressionErrors(compiled, at.child(ours, "expression")));
  }
  if (mutation[otherField]) {
    errors.push(invalid(at.child(otherField), `{${otherField}}`, `must not be specified when patchType is ${type}`));
  }
  return errors;
}
