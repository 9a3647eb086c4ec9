// Plain JSON values: type tests, copies, and setting keys that a client chose.

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a deep copy. */
export function copyJson<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: JsonObject = {};
  const source = value as JsonObject; // no array, no null
  for (const key in source) setKey(copy, key, copyOf(source[key]));
  return copy;
}

/** Reports whether two values are equal, whatever the order of their members. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, at) => equalJson(item, b[at]));
  }
  // Here both are neither null nor lists.
  const [left, right] = [a as JsonObject, b as JsonObject];
  let more = 0;
  for (const key in left) {
    if (!Object.hasOwn(right, key) || !equalJson(left[key], right[key])) return false;
    more++;
  }
  for (const _key in right) more--;
  return more === 0;
}

/** Sets a key that may be `__proto__`, which a plain assignment would treat as the prototype. */
export function setKey(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Returns the value of an own key; keys such as `constructor` are not looked up on the prototype. */
export function getKey(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
