// What a tenant stores is served from the console's origin: a browser must never run it.

export const hardened = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

/** Takes the headers of a response that may be changed. */
export function harden(headers: { set(name: string, value: string): void }): void {
  for (const [name, value] of Object.entries(hardened)) headers.set(name, value);
}

export function isHardened(headers: { get(name: string): string | null }): boolean {
  return Object.entries(hardened).every(([name, value]) => headers.get(name) === value);
}
