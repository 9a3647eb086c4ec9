// Waiting for something real in tests of workerd, on a machine that may do much else.
import { vi } from "vitest";

/** Until the body no longer throws; fails with what it throws after ten seconds, or as long as is said. */
export function patiently<T>(
  body: () => T | Promise<T>,
  options: { readonly timeout?: number; readonly interval?: number } = {},
): Promise<T> {
  return vi.waitFor(body, { timeout: 10_000, ...options });
}
