// The kind SelfSubjectReview: the attributes of the current user.
import type { SelfSubjectReview } from "../../../shared/k8s/api/authentication-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { userInfo } from "./user-info.ts";
import { type VirtualResource, virtualKind } from "./resource.ts";

export const selfSubjectReviews: VirtualResource = {
  kind: virtualKind<SelfSubjectReview>("authentication.k8s.io", "selfsubjectreviews"),
  create: ({ identity, server }, { kind, apiVersion }) => ({
    kind,
    apiVersion,
    metadata: { creationTimestamp: rfc3339(server.registry.clock.nowMs()) },
    status: { userInfo: userInfo(identity.user) },
  }),
};
