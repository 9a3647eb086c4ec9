// Searches for headers by prefix without copying all names, because every request is searched.

/** Reports whether any name begins with a lower-case prefix. */
export function hasNameWith(prefix: string, headers: { keys(): Iterable<string> }): boolean {
  for (const name of headers.keys()) if (name.startsWith(prefix)) return true;
  return false;
}
