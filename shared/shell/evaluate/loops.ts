// Loops.
import { charge } from "../meter.ts";
import { type Deferred, finished, isTask, type Task } from "../task.ts";
import { halted, setVariable, type Shell } from "./shell.ts";
import type { Body, List, Word } from "../language/syntax.ts";

interface Runners {
  runList(shell: Shell, list: List): Task<void>;
  runCondition(shell: Shell, list: List): Task<boolean>;
}

/** Runs a loop, which `break` and `continue` may leave. */
export function* looped(shell: Shell, task: Task<void>): Task<void> {
  shell.loops++;
  yield* task;
  shell.loops--;
}

export function* runWhile(
  shell: Shell,
  body: Body & { kind: "while" },
  { runList, runCondition }: Runners,
): Task<void> {
  const { last, own } = shell;
  const rounds = shell.host.rounds(shell, body.condition, body.list, body.until);
  shell.last = false;
  shell.own = false;
  let exitCode = 0;
  while (!halted(shell)) {
    rounds?.begin();
    const holds = yield* runCondition(shell, body.condition);
    if (halted(shell)) break;
    if (holds === body.until) {
      shell.exitCode = exitCode;
      break;
    }
    yield* runList(shell, body.list);
    exitCode = shell.exitCode;
    if (!goesOn(shell)) break;
    const ended = rounds?.end();
    if (isTask(ended)) yield* ended;
  }
  rounds?.leave();
  shell.last = last;
  shell.own = own;
}

export function* runFor(
  shell: Shell,
  body: Body & { kind: "for" },
  words: readonly string[],
  { runList }: Runners,
): Task<void> {
  const { last, own } = shell;
  shell.own = false;
  shell.exitCode = 0;
  for (const [at, word] of words.entries()) {
    if (halted(shell)) break;
    shell.last = last && at === words.length - 1;
    setVariable(shell, body.name, word);
    yield* runList(shell, body.list);
    if (!goesOn(shell)) break;
  }
  shell.last = last;
  shell.own = own;
}

/** `for ((i = 0; i < 3; i++))`: the same as a loop with a condition, whose last step comes after each round. */
export function* runCounted(
  shell: Shell,
  { parts: [first = [], condition = [], step = []], list }: Body & { kind: "counted" },
  { runList, value }: Runners & { value(shell: Shell, expression: Word): Deferred<bigint> },
): Task<void> {
  const { last, own, process, host } = shell;
  shell.last = false;
  shell.own = false;
  const isUnbounded = condition.every((one) => one.type === "text" && one.text.trim() === "");
  yield* finished(value(shell, first));
  while (!halted(shell) && (isUnbounded || (yield* finished(value(shell, condition))) !== 0n)) {
    yield* runList(shell, list);
    if (!goesOn(shell)) break;
    charge(process, 1);
    if (list.length === 0) yield* finished(host.idle(shell));
    yield* finished(value(shell, step));
  }
  shell.last = last;
  shell.own = own;
}

/** `break` and `continue` are used up by the loops that they leave. */
function goesOn(shell: Shell): boolean {
  const { flow } = shell;
  if (shell.process.paused) return false;
  if (flow?.kind !== "break" && flow?.kind !== "continue") return flow === undefined;
  if (flow.levels > 1) {
    shell.flow = { ...flow, levels: flow.levels - 1 };
    return false;
  }
  shell.flow = undefined;
  return flow.kind === "continue";
}
