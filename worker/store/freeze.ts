// Stored objects are shared by everyone who reads them, and nobody may change them. Every test holds that, by freezing them all through;
// the service does not freeze: it is a fifth of what a write costs.

let isOn = true;

/** Objects that are stored from here on are not frozen; for the Worker's entry. */
export function trustReaders(): void {
  isOn = false;
}

export function freeze<T>(value: T): T {
  return isOn ? freezeAlways(value) : value;
}

/** What several clusters share is frozen in the service, too. */
export function freezeAlways<T>(value: T): T {
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
