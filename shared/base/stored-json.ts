// Disposable values stored as JSON, which an earlier version of the service may have written in another shape.

/** Returns the value of a stored text. Returns undefined if the text is missing or invalid JSON, or lacks one of the members. */
export function readStored<T extends object>(
  text: string | undefined,
  members: readonly (keyof T & string)[],
): T | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    // The members distinguish the shapes of all versions.
    return members.every((name) => name in value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
