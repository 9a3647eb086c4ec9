// The empty lists and maps that a client gave. What is always written looks the same where it was not given, as storage keeps
// it; until a write is stored the two differ, for whoever gives an empty one comes to own it.
const given = new WeakSet<object>();
/** Structs of which an empty list or map was left out. */
const emptied = new WeakSet<object>();

export function markGivenEmpty<T extends object>(value: T): T {
  given.add(value);
  return value;
}

export function markEmptied(struct: object): void {
  emptied.add(struct);
}

/** Whether anything in a value was given empty. Kinds that compare by what was given, not by what it means, count that as a change. */
export function holdsGivenEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return given.has(value) || emptied.has(value) || Object.values(value).some(holdsGivenEmpty);
}

/** Whether two that are both empty were both given, or both not. */
export function isSameEmpty(a: object, b: object): boolean {
  return given.has(a) === given.has(b);
}
