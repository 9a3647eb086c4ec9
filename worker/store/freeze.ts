// Stored objects are shared by everyone who reads them, so they are frozen all through.

export function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) freezeObject(value);
  return value;
}

function freezeObject(object: object): void {
  if (Object.isFrozen(object)) return;
  // No list of the values is made: they may be many, and most of them are text.
  for (const key in object) {
    const inner = (object as Readonly<Record<string, unknown>>)[key];
    if (typeof inner === "object" && inner !== null) freezeObject(inner);
  }
  Object.freeze(object);
}
