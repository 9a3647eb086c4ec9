// MutatingAdmissionPolicy: applies the mutations of policies to the object, one after the other.
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from "../../shared/k8s/api/admissionregistration-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { copyJson } from "../../shared/schema/json-values.ts";
import { mutatingAdmissionPolicies } from "../kinds/admissionregistration/mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBindings } from "../kinds/admissionregistration/mutating-admission-policy-binding.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { compiledMutations } from "./policies/compiled.ts";
import { conditionsHold } from "./policies/conditions.ts";
import { type Hook, hooksFor } from "./policies/hooks.ts";
import { MutationProblem } from "./policies/mutation-problem.ts";
import { applyMutation } from "./policies/mutations.ts";
import { type Subject, namespaceOf } from "./policies/variables.ts";
import { asVersion, inVersion } from "./policies/versions.ts";
import { newForbidden } from "./common/errors.ts";
import {
  type ReinvokeContext,
  reinvokeContextOf,
  requireReinvoking,
  setLastOutput,
} from "./common/reinvoke-context.ts";
import { replace } from "./common/replace.ts";

type PolicyHook = Hook<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>;
type Invocation = Extract<PolicyHook, { kind: unknown }>;

interface PolicyDenial {
  readonly policy: MutatingAdmissionPolicy;
  readonly message: string;
  readonly reason: string;
}

const pluginName = "MutatingAdmissionPolicy";

export const mutatingAdmissionPolicy: AdmissionPlugin = {
  name: pluginName,
  mutate(request) {
    const kinds = { policies: mutatingAdmissionPolicies, bindings: mutatingAdmissionPolicyBindings };
    const hooks = [...hooksFor(kinds, request)];
    if (!hooks.length) return;
    const reinvokes = reinvokeContextOf(request, pluginName);
    const refusals = hooks.flatMap((hook) =>
      "problem" in hook ? unusable(hook) : invokePolicy(hook, request, reinvokes),
    );
    setLastOutput(reinvokes, request.object);
    refuse(refusals, request);
  },
};

function unusable({ policy, binding, problem }: Extract<PolicyHook, { problem: unknown }>): PolicyDenial {
  return { policy, message: denial(policy, binding, problem), reason: "" };
}

function invokePolicy(hook: Invocation, request: AdmissionRequest, reinvokes: ReinvokeContext): PolicyDenial[] {
  const { policy, binding, kind } = hook;
  const namespace = namespaceOf(request);
  const { conditions, variables, mutations } = compiledMutations(policy, request.context.meter);
  const previous = request.oldObject && inVersion(kind, request, request.oldObject);
  return hook.params.flatMap((params) => {
    const object = request.object && inVersion(kind, request, request.object);
    const subject: Subject = { request, kind, object, previous, namespace, params };
    const invalid = (problem: string): PolicyDenial => ({
      policy,
      message: denial(policy, binding, problem),
      reason: "Invalid",
    });
    const holds = conditionsHold(conditions, variables, subject, policy.spec.failurePolicy);
    if (typeof holds === "object") return [invalid(holds.error)];
    const { name: paramName = "", namespace: paramNamespace = "" } = params?.metadata ?? {};
    const key = [policy.metadata.name, binding.metadata.name, paramNamespace, paramName].join("/");
    if (!holds || (request.reinvocationContext?.isReinvoke && !reinvokes.reinvoke.has(key))) return [];
    const refusals = mutations.flatMap((mutation) => {
      try {
        change(request, hook, subject, mutation, variables, reinvokes);
        return [];
      } catch (error) {
        if (error instanceof MutationProblem) return [invalid(error.message)];
        throw error;
      }
    });
    if (policy.spec.reinvocationPolicy === "IfNeeded") reinvokes.previouslyInvokedReinvocable.add(key);
    return refusals;
  });
}

function change(
  request: AdmissionRequest,
  { kind }: Invocation,
  subject: Subject,
  mutation: Parameters<typeof applyMutation>[0],
  variables: Parameters<typeof applyMutation>[1],
  reinvokes: ReinvokeContext,
): void {
  if (!request.object) return;
  const object = inVersion(kind, request, request.object);
  const next = applyMutation(mutation, variables, { ...subject, object }, request.objectKind ?? kind, object);
  if (!request.objectKind) kind.defaults?.(next);
  if (semanticEqual(next, object)) return;
  replace(request.object, request.objectKind ? next : copyJson(asVersion(kind, next, request.kind)));
  requireReinvoking(reinvokes);
  if (request.reinvocationContext) request.reinvocationContext.shouldReinvoke = true;
}

function denial(
  { metadata: { name = "" } }: MutatingAdmissionPolicy,
  binding: MutatingAdmissionPolicyBinding | undefined,
  problem: string,
): string {
  if (!binding) return `policy ${JSON.stringify(name)} denied request: ${problem}`;
  return `policy '${name}' with binding '${binding.metadata.name ?? ""}' denied request: ${problem}`;
}

function refuse(refusals: readonly PolicyDenial[], request: AdmissionRequest): void {
  const counted = refusals.filter(({ policy }) => policy.spec.failurePolicy !== "Ignore");
  const [first] = counted;
  if (!first) return;
  const { details } = newForbidden(request, "");
  const causes = counted.map(({ message }) => ({ message }));
  throw new ApiError(403, first.reason || "Forbidden", first.message, { ...details, causes });
}
