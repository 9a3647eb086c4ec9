// Authenticates bearer tokens: tokens of the sandbox first, then upstream's authenticators in their order.
import { type MaybePromise, whenThere } from "../maybe-promise.ts";
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import { withEveryone } from "./everyone.ts";
import type { Identity, ApiServer } from "../api-server.ts";
import { authenticateAccount } from "./authenticate.ts";
import { authenticateBootstrap } from "./bootstrap.ts";
import { issuer } from "./claims.ts";

export interface Bearer {
  readonly identity: Identity;
  /** The requested audiences that the token is valid for. */
  readonly audiences: readonly string[];
}

/**
 * Returns the identity of a token; undefined if no authenticator recognizes it. Only issuers outside the cluster are awaited. Throws an
 * ApiError with the reason, or rejects with it, if the token is invalid.
 */
export function authenticateToken(
  server: ApiServer,
  token: string,
  audiences: readonly string[] = [issuer],
): MaybePromise<Bearer | undefined> {
  const isForApi = audiences.includes(issuer);
  const sandboxIdentity = isForApi ? server.authenticate(token) : undefined;
  if (sandboxIdentity) return { identity: sandboxIdentity, audiences: [issuer] };
  const account = authenticateAccount(server, token, audiences);
  if (account) return { identity: identityOf(account.user), audiences: account.audiences };
  // Tokens without an audience are for the API only.
  if (!isForApi) return undefined;
  return whenThere(authenticateBootstrap(server, token) ?? server.issuers?.authenticate(token), ofApi);
}

function ofApi(user: UserInfo | undefined): Bearer | undefined {
  return user && { identity: identityOf(user), audiences: [issuer] };
}

function identityOf(user: Identity["user"]): Identity {
  return { user: withEveryone(user), readOnly: false };
}
