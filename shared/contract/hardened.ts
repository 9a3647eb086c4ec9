// Headers for content of tenants on the console's origin, so that browsers never execute it.

export const hardened = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

/** Sets the headers of a mutable response. */
export function harden(headers: { set(name: string, value: string): void }): void {
  for (const [name, value] of Object.entries(hardened)) headers.set(name, value);
}

export function isHardened(headers: { get(name: string): string | null }): boolean {
  return Object.entries(hardened).every(([name, value]) => headers.get(name) === value);
}
