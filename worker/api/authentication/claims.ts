// The claims of service account tokens: the standard ones, and upstream's about the bound object.
import { bytesOfBase64Url } from "../../../shared/base/base64.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";

/** The issuer of tokens, which is also their default audience. */
export const issuer = "https://kubernetes.default.svc.cluster.local";

export type Claims = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface AccountClaims {
  readonly aud: readonly string[];
  /** In seconds, like the next three. */
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
    /** The time after which use is reported. Set if the token is valid for longer than requested. */
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

/** Returns the claims of a token that this cluster has signed. Such tokens have no other form. */
export function accountClaims(claims: Readonly<Record<string, unknown>>): AccountClaims | undefined {
  if (claims.iss !== issuer || typeof claims["kubernetes.io"] !== "object") return undefined;
  return claims as unknown as AccountClaims;
}

/** Returns the claims of a token without verifying it. */
export function claimsOf(token: string): Claims | undefined {
  const [, body = "", ...more] = token.split(".");
  if (more.length !== 1) return undefined;
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytesOfBase64Url(body)));
    return typeof claims === "object" && claims !== null ? { ...claims } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns Go's name for the type of a JSON value. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
