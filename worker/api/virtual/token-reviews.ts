// The kind TokenReview: the user of a token.
import type { TokenReview, TokenReviewStatus } from "../../../shared/k8s/api/authentication-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { authenticateToken } from "../authentication/bearer.ts";
import { issuer } from "../authentication/claims.ts";
import type { ApiServer } from "../api-server.ts";
import { userInfo } from "./user-info.ts";
import { type VirtualResource, virtualKind } from "./resource.ts";

export const tokenReviews: VirtualResource = {
  kind: virtualKind<TokenReview>("authentication.k8s.io", "tokenreviews"),
  check: (draft) => {
    // Decoded as the kind above.
    if ((draft as TokenReview).spec.token) return;
    throw ApiError.badRequest("token is required for TokenReview in authentication");
  },
  create: async ({ server }, draft) => {
    const review = draft as TokenReview;
    const { token = "", audiences } = review.spec;
    const status = await statusOf(server, token, audiences?.length ? audiences : [issuer]);
    // Fields that are not determined stay as they were sent.
    const { authenticated: _sent, ...sentStatus } = review.status ?? {};
    return { ...review, status: { ...sentStatus, ...status } };
  },
};

async function statusOf(
  server: ApiServer,
  token: string,
  audiences: readonly string[],
): Promise<Partial<TokenReviewStatus>> {
  try {
    const authenticated = await authenticateToken(server, token, audiences);
    if (!authenticated) return { error: "invalid bearer token" };
    return {
      authenticated: true,
      user: userInfo(authenticated.identity.user),
      audiences: [...authenticated.audiences],
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { error: `[invalid bearer token, ${error.message}]` };
  }
}
