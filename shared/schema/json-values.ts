// Plain JSON values: telling objects, copying, and setting keys that a client chose.

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy that shares nothing with the value. */
export function copyJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setKey(copy, key, copyJson(item));
  return copy;
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
