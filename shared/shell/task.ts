// Programs that can wait: generators that yield system calls to their host, and are resumed with the results.

/** A system call of a process. Each host has its own union of them, distinguished by `call`. */
export interface SystemCall {
  readonly call: string;
}

/** A computation that yields system calls before it returns. */
export type Task<Result> = Generator<SystemCall, Result, unknown>;

/** A result, or the task that computes it. Most commands need no system call, and so no generator. */
export type Deferred<Result> = Result | Task<Result>;

export function isTask<Result>(result: Deferred<Result>): result is Task<Result> {
  return typeof result === "object" && result !== null && "next" in result;
}

export function* finished<Result>(result: Deferred<Result>): Task<Result> {
  return isTask(result) ? yield* result : result;
}

/** Continues with a result, at once if it is available. */
export function after<Value, Result>(
  value: Deferred<Value>,
  use: (value: Value) => Deferred<Result>,
): Deferred<Result> {
  return isTask(value) ? afterTask(value, use) : use(value);
}

function* afterTask<Value, Result>(task: Task<Value>, use: (value: Value) => Deferred<Result>): Task<Result> {
  const result = use(yield* task);
  return isTask(result) ? yield* result : result;
}

/** Runs a function for each item in order. */
export function inTurn<Item>(items: readonly Item[], use: (item: Item, at: number) => Deferred<void>): Deferred<void> {
  for (let at = 0; at < items.length; at++) {
    const task = use(items[at] as Item, at);
    if (isTask(task)) return inTurnFrom(items, at + 1, task, use);
  }
}

function* inTurnFrom<Item>(
  items: readonly Item[],
  from: number,
  first: Task<void>,
  use: (item: Item, at: number) => Deferred<void>,
): Task<void> {
  yield* first;
  for (let at = from; at < items.length; at++) {
    const task = use(items[at] as Item, at);
    if (isTask(task)) yield* task;
  }
}
