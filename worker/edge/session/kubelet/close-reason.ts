// The reason of a WebSocket's close, which has a maximum of bytes.

const mostBytes = 123;

/** Returns the beginning of a text that is short enough. */
export function closeReason(text: string): string {
  const bytes = new Uint8Array(mostBytes);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return new TextDecoder().decode(bytes.subarray(0, written));
}
