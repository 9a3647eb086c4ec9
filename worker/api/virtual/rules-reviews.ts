// The kind SelfSubjectRulesReview: all rules that apply to the user in a namespace.
import type { SelfSubjectRulesReview } from "../../../shared/k8s/api/authorization-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { requesterOf } from "../filters/authorization.ts";
import { type VirtualResource, virtualKind } from "./resource.ts";

export const selfSubjectRulesReviews: VirtualResource = {
  kind: virtualKind<SelfSubjectRulesReview>("authorization.k8s.io", "selfsubjectrulesreviews"),
  check: (draft) => {
    // Decoded as the kind above.
    if (!(draft as SelfSubjectRulesReview).spec.namespace) throw ApiError.badRequest("no namespace on request");
  },
  create: ({ identity, server }, draft) => {
    const { kind, apiVersion, spec } = draft as SelfSubjectRulesReview;
    const { authorizer } = server.registry;
    const { evaluationError, ...rules } = authorizer.rulesOf(requesterOf(identity), spec.namespace ?? "");
    // The response does not repeat the namespace.
    return {
      kind,
      apiVersion,
      metadata: {},
      spec: {},
      status: { ...rules, ...(evaluationError ? { evaluationError } : {}) },
    };
  },
};
