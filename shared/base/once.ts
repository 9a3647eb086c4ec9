// Values that are computed at their first use: at the start of a Worker, or of a turn, many of them are not needed.

/** Returns a function that computes the value when it is first called. If that throws, the next call computes it again. */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
