// What a service account's token says: the standard claims, and upstream's own about what it is bound to.
import type { KubeObject } from "../../../shared/k8s/meta.ts";

/** Who signs, and the audience that tokens are for unless another is asked for. */
export const issuer = "https://kubernetes.default.svc.cluster.local";

export interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface AccountClaims {
  readonly aud: readonly string[];
  /** Seconds, as the next three. */
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly node?: Reference;
    readonly pod?: Reference;
    readonly secret?: Reference;
    readonly serviceaccount: Reference;
    /** The token is good for longer than was asked, and only then complained about. */
    readonly warnafter?: number;
  };
  readonly nbf: number;
  readonly sub: string;
}

export function referenceOf({ metadata }: KubeObject): Reference {
  return { name: metadata.name ?? "", uid: metadata.uid ?? "" };
}

export function accountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The claims of a token that this cluster has signed, which are of no other form. */
export function accountClaims(claims: Readonly<Record<string, unknown>>): AccountClaims | undefined {
  if (claims.iss !== issuer || typeof claims["kubernetes.io"] !== "object") return undefined;
  return claims as unknown as AccountClaims;
}
