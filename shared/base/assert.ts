// Assertions: a broken assertion is a bug of ours, never the client's error.

/** A bug, which becomes a logged 500 `InternalError`. Expected refusals are `ApiError`s instead. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Returns the value, or throws if it is missing. */
export function must<T>(value: T | undefined | null, what: string): T {
  assert(value !== undefined && value !== null, `${what} is missing`);
  return value;
}

/** Compiles only if every field of an object was taken out by name, so that a new field of its type is a compile error. */
export function nothingLeft(_rest: Readonly<Record<string, never>>): void {}
