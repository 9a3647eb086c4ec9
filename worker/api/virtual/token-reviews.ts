// The kind TokenReview: whose token this is.
import type { TokenReview, TokenReviewStatus } from "../../../shared/k8s/api/authentication-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Requester } from "../../kinds/kind.ts";
import { authenticateAccount } from "../accounts/authenticate.ts";
import { issuer } from "../accounts/claims.ts";
import { withEveryone } from "../authentication.ts";
import type { Service } from "../service.ts";
import { userInfo } from "./user-info.ts";
import { type VirtualResource, virtualKind } from "./resource.ts";

export const tokenReviews: VirtualResource = {
  kind: virtualKind<TokenReview>("authentication.k8s.io", "tokenreviews"),
  create: ({ service }, draft) => {
    // Decoded as the kind above.
    const review = draft as TokenReview;
    const { token, audiences } = review.spec;
    if (!token) throw ApiError.badRequest("token is required for TokenReview in authentication");
    return { ...review, status: statusOf(service, token, audiences?.length ? audiences : [issuer]) };
  },
};

function statusOf(service: Service, token: string, audiences: readonly string[]): TokenReviewStatus {
  try {
    const found = authenticated(service, token, audiences);
    if (!found) return { user: {}, error: "invalid bearer token" };
    return { authenticated: true, user: userInfo(found.user), audiences: [...found.audiences] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { user: {}, error: `[invalid bearer token, ${error.message}]` };
  }
}

function authenticated(service: Service, token: string, audiences: readonly string[]) {
  const account = authenticateAccount(service, token, audiences);
  if (account) return { ...account, user: withEveryone(account.user) };
  // The cluster's other tokens are for its API alone.
  const user = audiences.includes(issuer) ? service.authenticate(token)?.user : undefined;
  return user && { user: user satisfies Requester, audiences: [issuer] };
}
