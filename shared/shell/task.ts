// Programs that can wait: generators that yield a system call to whoever runs them, and are resumed with its result.

/** A request that a process makes of its surroundings. Each host has a union of its own, told apart by `call`. */
export interface SystemCall {
  readonly call: string;
}

/** A computation that yields system calls before it returns. */
export type Task<Result> = Generator<SystemCall, Result, unknown>;

/** A result, or the task that computes it: what needs no system call needs no generator either, which most commands would pay for. */
export type Deferred<Result> = Result | Task<Result>;

export function isTask<Result>(result: Deferred<Result>): result is Task<Result> {
  return typeof result === "object" && result !== null && "next" in result;
}

export function* finished<Result>(result: Deferred<Result>): Task<Result> {
  return isTask(result) ? yield* result : result;
}

/** Goes on with a result, at once if it is there. */
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

/** Does something for one item after the other. */
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
