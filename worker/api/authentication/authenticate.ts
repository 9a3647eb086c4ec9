// Authenticates service account tokens and checks that they are still valid (upstream: the bound token's validator).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { must } from "../../../shared/base/assert.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { mustRead, read } from "../../registry/registry.ts";
import type { ApiServer } from "../api-server.ts";
import { type AccountClaims, accountClaims, accountName, claimsOf, issuer, type Reference } from "./claims.ts";
import { legacyIssuer, legacyUser } from "./legacy-token.ts";

export interface AccountToken {
  readonly user: UserInfo;
  /** The requested audiences that the token is valid for. */
  readonly audiences: readonly string[];
}

/** The clock skew that upstream tolerates. */
const leewayMs = 60_000;

/** Returns the user of a token of this cluster; undefined for other tokens. Throws an ApiError with the reason if the token is invalid. */
export function authenticateAccount(
  server: ApiServer,
  token: string,
  audiences: readonly string[] = [issuer],
): AccountToken | undefined {
  const verified = server.key.verify(token);
  if (!verified && isAccountToken(token)) throw refused("go-jose/go-jose: error in cryptographic primitive");
  if (verified?.iss === legacyIssuer) {
    // Tokens without an audience are for this API.
    const ownAudiences = audiences.filter((audience) => audience === issuer);
    if (ownAudiences.length === 0) throw otherAudience([issuer], audiences);
    return { user: legacyUser(server, token, verified), audiences: ownAudiences };
  }
  const claims = verified && accountClaims(verified);
  if (!claims) return undefined;
  const shared = audiences.filter((audience) => claims.aud.includes(audience));
  if (shared.length === 0) throw otherAudience(claims.aud, audiences);
  checkTime(server, claims);
  checkReferences(server, claims);
  return { user: userOf(claims), audiences: shared };
}

/** Reports whether a token claims to be of a Kubernetes cluster, this one or another. */
function isAccountToken(token: string): boolean {
  const issued = claimsOf(token)?.["iss"];
  return issued === issuer || issued === legacyIssuer;
}

function checkTime(server: ApiServer, { exp, nbf, iat }: AccountClaims): void {
  const nowMs = server.registry.clock.nowMs();
  if (nowMs + leewayMs < nbf * 1000) throw refused("service account token is not valid yet");
  if (nowMs - leewayMs > exp * 1000) throw refused("service account token has expired");
  if (nowMs + leewayMs < iat * 1000) throw refused("service account token is issued in the future");
}

function checkReferences(server: ApiServer, claims: AccountClaims): void {
  const { namespace, serviceaccount, secret, pod, node } = claims["kubernetes.io"];
  const account = mustRead(server.registry, kindOf(server, "ServiceAccount"), namespace, serviceaccount.name);
  if (account.metadata.uid !== serviceaccount.uid) {
    throw refused(`service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`);
  }
  if (isGone(server, account)) throw refused(`service account ${namespace}/${serviceaccount.name} has been deleted`);
  if (secret) checkBound(server, "Secret", namespace, secret, "service account secret ref claim");
  if (pod) checkBound(server, "Pod", namespace, pod, "service account pod ref claim");
  // A pod's token has its node's name, but is bound to the pod only.
  else if (node) checkBound(server, "Node", "", node, "service account node ref claim");
}

function checkBound(server: ApiServer, kind: string, namespace: string, { name, uid }: Reference, claim: string): void {
  const object = read(server.registry, kindOf(server, kind), namespace, name);
  if (!object) throw refused("service account token has been invalidated");
  if (object.metadata.uid !== uid) {
    throw refused(`${kind.toLowerCase()} UID (${object.metadata.uid}) does not match ${claim} (${uid})`);
  }
  if (isGone(server, object)) throw refused("service account token has been invalidated");
}

function kindOf(server: ApiServer, kind: string) {
  return must(server.registry.catalogue.byKind("v1", kind), kind);
}

function isGone(server: ApiServer, { metadata }: KubeObject): boolean {
  const { deletionTimestamp } = metadata;
  return Boolean(deletionTimestamp) && parseTime(deletionTimestamp ?? "") < server.registry.clock.nowMs() - leewayMs;
}

function userOf({ jti, "kubernetes.io": accountInfo }: AccountClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = accountInfo;
  const prefix = "authentication.kubernetes.io";
  return {
    name: accountName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra: {
      [`${prefix}/credential-id`]: [`JTI=${jti}`],
      ...(node ? { [`${prefix}/node-name`]: [node.name] } : {}),
      ...(node?.uid ? { [`${prefix}/node-uid`]: [node.uid] } : {}),
      ...(pod ? { [`${prefix}/pod-name`]: [pod.name], [`${prefix}/pod-uid`]: [pod.uid] } : {}),
    },
  };
}

function otherAudience(tokenAudiences: readonly string[], requestedAudiences: readonly string[]): ApiError {
  return refused(
    `token audiences ${quoted(tokenAudiences)} is invalid for the target audiences ${quoted(requestedAudiences)}`,
  );
}

function refused(why: string): ApiError {
  return new ApiError(401, "Unauthorized", why);
}

/** Prints a list as Go does. */
function quoted(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(" ")}]`;
}
