// The second of the two kinds of error: a broken assertion is a bug of ours, never of the caller's.

/** A bug: becomes a 500 `InternalError` that is logged. Expected refusals are `ApiError`s instead. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The value, which must be there. */
export function must<T>(value: T | undefined | null, what: string): T {
  assert(value !== undefined && value !== null, `${what} is missing`);
  return value;
}

/** Compiles only where all fields have been taken out of an object by name: a field that is added to its type is an error there. */
export function nothingLeft(_rest: Readonly<Record<string, never>>): void {}
