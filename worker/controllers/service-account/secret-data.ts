// What the secrets of service accounts' tokens are known by. Pure.

export const accountTokenType = "kubernetes.io/service-account-token";
export const accountNameKey = "kubernetes.io/service-account.name";
export const accountUidKey = "kubernetes.io/service-account.uid";

/** Of ASCII: names, certificates and tokens are. */
export function encoded(text: string): string {
  return btoa(text);
}
