// Values that are stored as JSON and may be dropped: what an earlier version of the service stored may have another shape.

/**
 * Returns the value of a stored text. Undefined if there is none, if it is no JSON, or if it lacks one of the members, as a value of another
 * shape does: then it is as if nothing were stored.
 */
export function readStored<T extends object>(
  text: string | undefined,
  members: readonly (keyof T & string)[],
): T | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    // The members tell the shapes of all versions apart.
    return members.every((name) => name in value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
