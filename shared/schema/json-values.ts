// Plain JSON values: telling objects, copying, and setting keys that a client chose.

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy that shares nothing with the value. */
export function copyJson<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: JsonObject = {};
  const given = value as JsonObject; // no array, no null
  for (const key in given) setKey(copy, key, copyOf(given[key]));
  return copy;
}

/** Whether two values have the same members, in whatever order. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, at) => equalJson(item, b[at]));
  }
  // What is neither null nor a list.
  const [left, right] = [a as JsonObject, b as JsonObject];
  let more = 0;
  for (const key in left) {
    if (!Object.hasOwn(right, key) || !equalJson(left[key], right[key])) return false;
    more++;
  }
  for (const _key in right) more--;
  return more === 0;
}

/** Sets a key that may be `__proto__`, which a plain assignment would take for the prototype. */
export function setKey(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The value of an own key; a key such as `constructor` is not found on the prototype. */
export function getKey(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
