// Freezes stored objects, since all readers share them and none may change them. Tests freeze every object to prove that. The service does
// not: freezing takes a fifth of the time of a write.

let isOn = true;

/** Turns off `freeze` for this process. The entry point of the Worker calls this. */
export function disableFreezing(): void {
  isOn = false;
}

export function freeze<T>(value: T): T {
  return isOn ? freezeAlways(value) : value;
}

/** Freezes objects that several clusters share, in the service too. */
export function freezeAlways<T>(value: T): T {
  if (typeof value === "object" && value !== null) freezeObject(value);
  return value;
}

function freezeObject(object: object): void {
  if (Object.isFrozen(object)) return;
  // A `for in` loop avoids an array of the values, of which there may be many.
  for (const key in object) {
    const inner = (object as Readonly<Record<string, unknown>>)[key];
    if (typeof inner === "object" && inner !== null) freezeObject(inner);
  }
  Object.freeze(object);
}
