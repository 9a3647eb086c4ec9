// Waiting for something real in tests of workerd, on a machine that may do much else.
import { vi } from "vitest";

/** Repeats the body until it does not throw. Fails with its last error after the timeout, ten seconds by default. */
export function patiently<T>(
  body: () => T | Promise<T>,
  options: { readonly timeout?: number; readonly interval?: number } = {},
): Promise<T> {
  return vi.waitFor(body, { timeout: 10_000, ...options });
}
