// Programs that can wait: generators that yield a system call to whoever runs them, and are resumed with its result.

/** A request that a process makes of its surroundings. Each host has a union of its own, told apart by `call`. */
export interface SystemCall {
  readonly call: string;
}

/** A computation that yields system calls before it returns. */
export type Task<Result> = Generator<SystemCall, Result, unknown>;

/** Returns the result of a function that may be a plain one. */
export function* finished<Result>(result: Result | Task<Result>): Task<Result> {
  return isTask(result) ? yield* result : result;
}

export function isTask<Result>(result: Result | Task<Result>): result is Task<Result> {
  return typeof result === "object" && result !== null && Symbol.iterator in result && "next" in result;
}
