// Finds the policies and bindings that apply to a write.
import type { MatchResources, ParamKind, ParamRef } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { isBeyondPolicies, matchedKind } from "./matching.ts";
import { ConfigurationError, paramKindOf, paramsOf } from "./params.ts";

export interface Policy extends KubeObject {
  readonly spec: {
    readonly failurePolicy?: string;
    readonly paramKind?: ParamKind;
    readonly matchConstraints?: MatchResources;
  };
}

export interface Binding extends KubeObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}

/** A policy with one of its bindings, or the error why it cannot be used. */
export type Hook<P, B> =
  | {
      readonly policy: P;
      readonly binding: B;
      /** The version that the rules of the policy name. */
      readonly kind: Kind;
      readonly params: readonly (KubeObject | undefined)[];
    }
  | { readonly policy: P; readonly binding: B | undefined; readonly problem: string };

/** Returns the hooks in the order of the policies' names, then of the bindings' names. A policy without a binding has no effect. */
export function hooksFor<P extends Policy, B extends Binding>(
  kinds: PolicyKinds<P, B>,
  request: AdmissionRequest,
): Iterable<Hook<P, B>> {
  const { context } = request;
  if (context.count(kinds.bindings) === 0 || context.count(kinds.policies) === 0) return [];
  return isBeyondPolicies(request) ? [] : hooksInForce(kinds, request);
}

interface PolicyKinds<P extends Policy, B extends Binding> {
  readonly policies: Kind<P>;
  readonly bindings: Kind<B>;
}

function* hooksInForce<P extends Policy, B extends Binding>(
  kinds: PolicyKinds<P, B>,
  request: AdmissionRequest,
): Generator<Hook<P, B>> {
  const { context } = request;
  const bindings = Map.groupBy(context.list(kinds.bindings), ({ spec }) => spec.policyName ?? "");
  for (const name of [...bindings.keys()].sort()) {
    const policy = context.get(kinds.policies, "", name);
    if (policy) yield* hooksOf(policy, bindings.get(name) ?? [], request);
  }
}

function* hooksOf<P extends Policy, B extends Binding>(
  policy: P,
  bindings: readonly B[],
  request: AdmissionRequest,
): Generator<Hook<P, B>> {
  const { matchConstraints, paramKind } = policy.spec;
  const target = attempt(() => {
    const kind = matchedKind(matchConstraints ?? {}, request);
    return kind && { kind, ofParams: paramKindOf(paramKind, request) };
  });
  if (typeof target === "string") {
    yield { policy, binding: undefined, problem: `failed to configure policy: ${target}` };
    return;
  }
  if (!target) return;
  for (const binding of bindings) {
    const { matchResources, paramRef } = binding.spec;
    const params = attempt(() => {
      const isFor = !matchResources || matchedKind(matchResources, request) !== undefined;
      return isFor ? paramsOf(target.ofParams, paramRef, request) : undefined;
    });
    if (typeof params === "string") yield { policy, binding, problem: `failed to configure binding: ${params}` };
    else if (params) yield { policy, binding, kind: target.kind, params };
  }
}

/** Returns the result of a function, or its configuration error as text. */
function attempt<T>(body: () => T): T | string {
  try {
    return body();
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConfigurationError) return error.message;
    throw error;
  }
}
