// Values that are usually there at once. A promise costs an allocation and a turn of the microtask queue for each request.

export type MaybePromise<T> = T | Promise<T>;

/** Applies a function to a value: at once if the value is there, otherwise when its promise is fulfilled. */
export function whenThere<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
