// Secrets that hold bootstrap tokens: what they say, and until when. Pure.
import type { Secret } from "../../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../../shared/k8s/time.ts";
import { textOf } from "./secret-data.ts";

export const tokenNamespace = "kube-system";

export function isBootstrapToken({ type, metadata }: Secret): boolean {
  return type === "bootstrap.kubernetes.io/token" && metadata.namespace === tokenNamespace;
}

/** When it ends; never, where it does not say. A time that cannot be read is past. */
export function expiryMs(secret: Secret): number {
  const text = textOf(secret, "expiration");
  if (text === "") return Number.POSITIVE_INFINITY;
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? parseTime(text) : Number.NaN;
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}

/** The token, if it may sign. */
export function signingToken(secret: Secret, nowMs: number): { id: string; secret: string } | undefined {
  const named = /^bootstrap-token-([a-z0-9]{6})$/.exec(secret.metadata.name ?? "")?.[1];
  const token = { id: textOf(secret, "token-id"), secret: textOf(secret, "token-secret") };
  const isWhole = named !== undefined && token.id === named && token.secret !== "";
  const maySign = textOf(secret, "usage-bootstrap-signing") === "true";
  return isWhole && maySign && nowMs <= expiryMs(secret) ? token : undefined;
}
