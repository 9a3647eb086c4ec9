// Runs loops.
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
  const { last, takesProcess } = shell;
  const rounds = shell.host.rounds(shell, body.condition, body.list, body.until);
  shell.last = false;
  shell.takesProcess = false;
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
  shell.takesProcess = takesProcess;
}

export function* runFor(
  shell: Shell,
  body: Body & { kind: "for" },
  words: readonly string[],
  { runList }: Runners,
): Task<void> {
  const { last, takesProcess } = shell;
  shell.takesProcess = false;
  shell.exitCode = 0;
  for (const [at, word] of words.entries()) {
    if (halted(shell)) break;
    shell.last = last && at === words.length - 1;
    setVariable(shell, body.name, word);
    yield* runList(shell, body.list);
    if (!goesOn(shell)) break;
  }
  shell.last = last;
  shell.takesProcess = takesProcess;
}

/** Runs `for ((i = 0; i < 3; i++))`: a loop with a condition, whose step runs after each round. */
export function* runCounted(
  shell: Shell,
  { clauses: [first = [], condition = [], step = []], list }: Body & { kind: "counted" },
  { runList, value }: Runners & { value(shell: Shell, expression: Word): Deferred<bigint> },
): Task<void> {
  const { last, takesProcess, process, host } = shell;
  shell.last = false;
  shell.takesProcess = false;
  const isUnbounded = condition.every((piece) => piece.type === "text" && piece.text.trim() === "");
  yield* finished(value(shell, first));
  while (!halted(shell) && (isUnbounded || (yield* finished(value(shell, condition))) !== 0n)) {
    yield* runList(shell, list);
    if (!goesOn(shell)) break;
    charge(process, 1);
    if (list.length === 0) yield* finished(host.idle(shell));
    yield* finished(value(shell, step));
  }
  shell.last = last;
  shell.takesProcess = takesProcess;
}

/** Reports whether the loop goes on. Consumes `break` and `continue` of this loop. */
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
