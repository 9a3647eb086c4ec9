// Whose bearer token it is: the ways to know one, in upstream's order after the sandbox's own.
import { withEveryone } from "./everyone.ts";
import type { Identity, ApiServer } from "../api-server.ts";
import { authenticateAccount } from "./authenticate.ts";
import { authenticateBootstrap } from "./bootstrap.ts";
import { issuer } from "./claims.ts";

export interface Bearer {
  readonly identity: Identity;
  /** Of those that were asked for, the ones that the token is for. */
  readonly audiences: readonly string[];
}

/** Undefined for nobody's; throws an ApiError that says why one that is somebody's is no good. */
export async function authenticateToken(
  server: ApiServer,
  token: string,
  audiences: readonly string[] = [issuer],
): Promise<Bearer | undefined> {
  const isForApi = audiences.includes(issuer);
  const own = isForApi ? server.authenticate(token) : undefined;
  if (own) return { identity: own, audiences: [issuer] };
  const account = authenticateAccount(server, token, audiences);
  if (account) return { identity: identityOf(account.user), audiences: account.audiences };
  // What names no audience is for the API alone.
  if (!isForApi) return undefined;
  const user = authenticateBootstrap(server, token) ?? (await server.issuers?.authenticate(token));
  return user && { identity: identityOf(user), audiences: [issuer] };
}

function identityOf(user: Identity["user"]): Identity {
  return { user: withEveryone(user), readOnly: false };
}
