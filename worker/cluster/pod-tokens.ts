// The tokens that stand in the files of containers: what a kubelet asks for, signed by the cluster's key, and kept for as long as a
// kubelet keeps one.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { type AccountClaims, accountName, issuer, referenceOf } from "../api/authentication/claims.ts";
import type { TokenKey } from "../api/api-server.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { serviceAccounts } from "../kinds/core/service-account.ts";
import type { ClusterView, TokenProjection } from "../containers/run/world.ts";
import type { Client } from "../registry/client.ts";

const secondsDefault = 3600;
/** The lifetime in seconds that a pod's own volume requests and that is extended to a year: see `requestToken`. */
const extendedFrom = 3607;
const extendedSeconds = 365 * 24 * 3600;
/** A kubelet asks anew after so much of a token's time. */
const freshShare = 0.8;
const mostKept = 500;

export function podTokens(client: Client, key: TokenKey, clock: Clock): ClusterView["token"] {
  const tokens = new BoundedCache<string, string>(mostKept);
  return (pod, request) => {
    const seconds = request.expirationSeconds ?? secondsDefault;
    const { issuedMs } = tokenPeriod(pod, request, clock.nowMs());
    const id = [pod.metadata.uid, request.audience, seconds, issuedMs].join("/");
    const cachedToken = tokens.get(id);
    if (cachedToken !== undefined) return cachedToken;
    const claims = claimsOf(client, pod, request, Math.floor(issuedMs / 1000));
    const token = claims ? key.sign(claims) : "";
    tokens.set(id, token);
    return token;
  };
}

/** When the token was issued that a pod has now, and until when it has it. */
export function tokenPeriod(
  pod: Pod,
  { expirationSeconds = secondsDefault }: TokenProjection,
  nowMs: number,
): { readonly issuedMs: number; readonly untilMs: number } {
  const begunMs = pod.status.startTime ? parseTime(pod.status.startTime) : nowMs;
  const periodMs = Math.floor(expirationSeconds * freshShare) * 1000;
  const issuedMs = begunMs + Math.max(0, Math.floor((nowMs - begunMs) / periodMs)) * periodMs;
  return { issuedMs, untilMs: issuedMs + periodMs };
}

function claimsOf(client: Client, pod: Pod, request: TokenProjection, now: number): AccountClaims | undefined {
  const { namespace = "" } = pod.metadata;
  const name = pod.spec.serviceAccountName ?? "default";
  const account = client.get(serviceAccounts, namespace, name);
  if (!account) return undefined;
  const node = client.get(nodes, "", pod.spec.nodeName ?? "");
  const seconds = request.expirationSeconds ?? secondsDefault;
  const isExtended = seconds === extendedFrom && (request.audience ?? issuer) === issuer;
  return {
    aud: [request.audience ?? issuer],
    exp: now + (isExtended ? extendedSeconds : seconds),
    iat: now,
    iss: issuer,
    jti: crypto.randomUUID(),
    "kubernetes.io": {
      namespace,
      ...(node ? { node: referenceOf(node) } : {}),
      pod: referenceOf(pod),
      serviceaccount: referenceOf(account),
      ...(isExtended ? { warnafter: now + seconds } : {}),
    },
    nbf: now,
    sub: accountName(namespace, name),
  };
}
