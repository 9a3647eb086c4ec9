// Looking for headers of a family, without a list of all names: every request is looked at.

/** Whether the name of any begins with a prefix in lower case. */
export function hasNameWith(prefix: string, headers: { keys(): Iterable<string> }): boolean {
  for (const name of headers.keys()) if (name.startsWith(prefix)) return true;
  return false;
}
