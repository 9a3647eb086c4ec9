// MutatingAdmissionPolicy: lays the patches of policies over what is written, one after the other.
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from "../../shared/k8s/api/admissionregistration-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { copyJson } from "../../shared/schema/json-values.ts";
import { mutatingAdmissionPolicies } from "../kinds/admissionregistration/mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBindings } from "../kinds/admissionregistration/mutating-admission-policy-binding.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { compiledMutations } from "./policies/compiled.ts";
import { conditionsHold } from "./policies/conditions.ts";
import { type Hook, hooksFor } from "./policies/hooks.ts";
import { MutationProblem } from "./policies/mutation-problem.ts";
import { mutated } from "./policies/mutations.ts";
import { type Subject, namespaceOf } from "./policies/variables.ts";
import { asVersion, shownIn } from "./policies/versions.ts";
import { forbiddenBy } from "./refuse.ts";
import { replace } from "./replace.ts";

type PolicyHook = Hook<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>;
type Invocation = Extract<PolicyHook, { kind: unknown }>;

interface Refusal {
  readonly policy: MutatingAdmissionPolicy;
  readonly message: string;
  readonly reason: string;
}

/** Upstream's `policyReinvokeContext`. */
interface Notes {
  readonly again: Set<string>;
  asked: Set<string>;
  output: KubeObject | undefined;
}

const pluginName = "MutatingAdmissionPolicy";

export const mutatingAdmissionPolicy: AdmissionPlugin = {
  name: pluginName,
  mutate(request) {
    const kinds = { policies: mutatingAdmissionPolicies, bindings: mutatingAdmissionPolicyBindings };
    const hooks = [...hooksFor(kinds, request)];
    if (!hooks.length) return;
    const notes = notesOf(request);
    const isAgain = request.reinvocation?.isAgain === true;
    if (isAgain && !semanticEqual(request.object, notes.output)) askAgain(notes);
    const refusals = hooks.flatMap((hook) => ("problem" in hook ? unusable(hook) : invoked(hook, request, notes)));
    if (notes.asked.size > 0) notes.output = request.object && copyJson(request.object);
    refuse(refusals, request);
  },
};

function notesOf({ reinvocation }: AdmissionRequest): Notes {
  // Only this plugin writes under its name.
  const known = reinvocation?.notes.get(pluginName) as Notes | undefined;
  if (known) return known;
  const fresh: Notes = { again: new Set(), asked: new Set(), output: undefined };
  reinvocation?.notes.set(pluginName, fresh);
  return fresh;
}

function askAgain(notes: Notes): void {
  for (const key of notes.asked) notes.again.add(key);
  notes.asked = new Set();
}

function unusable({ policy, binding, problem }: Extract<PolicyHook, { problem: unknown }>): Refusal {
  return { policy, message: denial(policy, binding, problem), reason: "" };
}

function invoked(hook: Invocation, request: AdmissionRequest, notes: Notes): Refusal[] {
  const { policy, binding, kind } = hook;
  const namespace = namespaceOf(request);
  const { conditions, variables, mutations } = compiledMutations(policy);
  const previous = request.previous && shownIn(kind, request, request.previous);
  return hook.params.flatMap((params) => {
    const object = request.object && shownIn(kind, request, request.object);
    const subject: Subject = { request, kind, object, previous, namespace, params };
    const invalid = (problem: string): Refusal => ({
      policy,
      message: denial(policy, binding, problem),
      reason: "Invalid",
    });
    const holds = conditionsHold(conditions, variables, subject, policy.spec.failurePolicy);
    if (typeof holds === "object") return [invalid(holds.error)];
    const { name: paramName = "", namespace: paramNamespace = "" } = params?.metadata ?? {};
    const key = [policy.metadata.name, binding.metadata.name, paramNamespace, paramName].join("/");
    if (!holds || (request.reinvocation?.isAgain && !notes.again.has(key))) return [];
    const refusals = mutations.flatMap((mutation) => {
      try {
        change(request, hook, subject, mutation, variables, notes);
        return [];
      } catch (error) {
        if (error instanceof MutationProblem) return [invalid(error.message)];
        throw error;
      }
    });
    if (policy.spec.reinvocationPolicy === "IfNeeded") notes.asked.add(key);
    return refusals;
  });
}

function change(
  request: AdmissionRequest,
  { kind }: Invocation,
  subject: Subject,
  mutation: Parameters<typeof mutated>[0],
  variables: Parameters<typeof mutated>[1],
  notes: Notes,
): void {
  if (!request.object) return;
  const object = shownIn(kind, request, request.object);
  const next = mutated(mutation, variables, { ...subject, object }, request.type ?? kind, object);
  if (!request.type) kind.defaults?.(next);
  if (semanticEqual(next, object)) return;
  replace(request.object, request.type ? next : copyJson(asVersion(kind, next, request.kind)));
  askAgain(notes);
  if (request.reinvocation) request.reinvocation.isWanted = true;
}

function denial(
  { metadata: { name = "" } }: MutatingAdmissionPolicy,
  binding: MutatingAdmissionPolicyBinding | undefined,
  problem: string,
): string {
  if (!binding) return `policy ${JSON.stringify(name)} denied request: ${problem}`;
  return `policy '${name}' with binding '${binding.metadata.name ?? ""}' denied request: ${problem}`;
}

function refuse(refusals: readonly Refusal[], request: AdmissionRequest): void {
  const counted = refusals.filter(({ policy }) => policy.spec.failurePolicy !== "Ignore");
  const [first] = counted;
  if (!first) return;
  const { details } = forbiddenBy(request, "");
  const causes = counted.map(({ message }) => ({ message }));
  throw new ApiError(403, first.reason || "Forbidden", first.message, { ...details, causes });
}
