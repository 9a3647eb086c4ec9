// The size of the data in ConfigMaps and Secrets.

/** The maximum size of all values together in bytes, also for ConfigMaps. */
export const maxSecretSize = 1024 * 1024;

/** Returns the decoded length of a base64 text in bytes. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.max(0, (text.length / 4) * 3 - padding);
}
