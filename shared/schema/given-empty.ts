// Records the empty lists and maps that a client gave. A list that is always written looks the same if it was absent, as it does in
// storage. Until a write is stored the two differ, because a client that gives an empty list comes to own it.
const givenEmpty = new WeakSet<object>();
/** Structs from which an empty list or map was omitted. */
const emptied = new WeakSet<object>();

export function markGivenEmpty<T extends object>(value: T): T {
  givenEmpty.add(value);
  return value;
}

export function markEmptied(struct: object): void {
  emptied.add(struct);
}

/** Reports whether anything in a value was given empty. Kinds that compare the values as given count that as a change. */
export function holdsGivenEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return givenEmpty.has(value) || emptied.has(value) || Object.values(value).some(holdsGivenEmpty);
}

/** Reports whether two empty values were both given, or both absent. */
export function isSameEmpty(a: object, b: object): boolean {
  return givenEmpty.has(a) === givenEmpty.has(b);
}
