// What a secret's data say, and are made to say, as text. Pure.
import type { Secret } from "../../../../shared/k8s/api/core-v1.ts";

export const accountTokenType = "kubernetes.io/service-account-token";
export const accountNameKey = "kubernetes.io/service-account.name";
export const accountUidKey = "kubernetes.io/service-account.uid";

export function textOf({ data = {} }: Secret, key: string): string {
  const bytes = Uint8Array.from(atob(data[key] ?? ""), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/** Of ASCII: names, certificates and tokens are. */
export function encoded(text: string): string {
  return btoa(text);
}
