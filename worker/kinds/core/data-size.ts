// The size of what ConfigMaps and Secrets carry.

/** In bytes of all values together; it bounds ConfigMaps too. */
export const maxSecretSize = 1024 * 1024;

/** The bytes that a base64 text stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.max(0, (text.length / 4) * 3 - padding);
}
