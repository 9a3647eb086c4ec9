// Secrets that hold tokens: bootstrap tokens with their groups and expiry, and labels of legacy service account tokens.
import { bytesOfBase64 } from "../base/base64.ts";
import type { Secret } from "./api/core-v1.ts";
import { parseTime } from "./time.ts";

/** The labels of Secrets with service account tokens that do not expire. */
export const lastUsedKey = "kubernetes.io/legacy-token-last-used";
export const invalidSinceKey = "kubernetes.io/legacy-token-invalid-since";

export const tokenNamespace = "kube-system";
const secretType = "bootstrap.kubernetes.io/token";
const everyonesGroup = "system:bootstrappers";
const furtherGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const shape = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

/** Splits a token into its id and secret. Returns undefined if the text has another form. */
export function bootstrapTokenOf(text: string): BootstrapToken | undefined {
  const [, id, secret] = shape.exec(text) ?? [];
  return id !== undefined && secret !== undefined ? { id, secret } : undefined;
}

export function secretNameOf({ id }: BootstrapToken): string {
  return `bootstrap-token-${id}`;
}

export function isBootstrapToken({ type, metadata }: Secret): boolean {
  return type === secretType && metadata.namespace === tokenNamespace;
}

/** Returns when the token expires: never if the Secret has no expiration, and in the past if the expiration cannot be parsed. */
export function expiryMs(secret: Secret): number {
  const text = textOf(secret, "expiration");
  if (text === "") return Number.POSITIVE_INFINITY;
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? parseTime(text) : Number.NaN;
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}

/** Returns the token if it may sign. */
export function signingToken(secret: Secret, nowMs: number): BootstrapToken | undefined {
  const named = /^bootstrap-token-([a-z0-9]{6})$/.exec(secret.metadata.name ?? "")?.[1];
  const token = { id: textOf(secret, "token-id"), secret: textOf(secret, "token-secret") };
  const isWhole = named !== undefined && token.id === named && token.secret !== "";
  const maySign = textOf(secret, "usage-bootstrap-signing") === "true";
  return isWhole && maySign && nowMs <= expiryMs(secret) ? token : undefined;
}

/** Returns the groups of a client that sends this token, in order; undefined if the token is not that of the Secret or has expired. */
export function bootstrapGroups(secret: Secret, token: BootstrapToken, nowMs: number): string[] | undefined {
  const isSame = sameText(textOf(secret, "token-secret"), token.secret) && textOf(secret, "token-id") === token.id;
  const isOfUse = isBootstrapToken(secret) && !secret.metadata.deletionTimestamp && nowMs < expiryMs(secret);
  if (!isSame || !isOfUse || textOf(secret, "usage-bootstrap-authentication") !== "true") return undefined;
  const further = textOf(secret, "auth-extra-groups");
  const groups = further === "" ? [] : further.split(",");
  // A single malformed group makes the whole token unusable.
  if (!groups.every((group) => furtherGroup.test(group))) return undefined;
  return [...new Set([everyonesGroup, ...groups])].sort();
}

function textOf({ data = {} }: Secret, key: string): string {
  // All of them are ASCII.
  return String.fromCharCode(...bytesOfBase64(data[key] ?? ""));
}

/** Compares in constant time, so that the time does not reveal how many characters agree. */
function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}
