// Runs tasks in the page: each system call is a promise, whose result resumes the task.
import type { SystemCall, Task } from "../../../shared/shell/task.ts";

interface AwaitCall extends SystemCall {
  readonly call: "await";
  readonly promise: Promise<unknown>;
}

/** Waits for a promise. Its error is thrown in the waiting task. */
export function* awaited<Result>(promise: Promise<Result>): Task<Result> {
  const call: AwaitCall = { call: "await", promise };
  return (yield call) as Result;
}

export async function drive<Result>(task: Task<Result>): Promise<Result> {
  let step = task.next();
  while (!step.done) {
    let result: unknown;
    try {
      // Only tasks of this page yield here.
      result = await (step.value as AwaitCall).promise;
    } catch (error) {
      step = task.throw(error);
      continue;
    }
    step = task.next(result);
  }
  return step.value;
}
