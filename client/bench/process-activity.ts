// The processor time that a process and its children have used, as Linux tells in /proc.
import { readdirSync, readFileSync } from "node:fs";

/** The processor time, in clock ticks of 10 ms, that a process at rest may use between two looks. */
const restTicks = 1;
const maxProcesses = 200;

/** Returns a function that reports whether a process or one of its children has computed since the last call. */
export function activityOf(pid: () => number | undefined): () => boolean {
  let [lastPid, lastTicks] = [0, 0];
  return () => {
    const current = pid();
    if (current === undefined) return false;
    const usage = usageOf(current);
    if (!usage) return false;
    const isComputing = usage.isRunning || current !== lastPid || usage.ticks - lastTicks > restTicks;
    [lastPid, lastTicks] = [current, usage.ticks];
    return isComputing;
  };
}

interface Usage {
  readonly ticks: number;
  /** Whether a thread runs, or waits for a processor or a disk. */
  readonly isRunning: boolean;
}

/** Returns undefined if the platform has no /proc or the process has ended. */
function usageOf(root: number): Usage | undefined {
  let [ticks, isRunning, isKnown] = [0, false, false];
  const waiting = [root];
  for (let count = 0; waiting.length > 0 && count < maxProcesses; count += 1) {
    const pid = waiting.pop() ?? 0;
    try {
      ticks += fieldsOf(`/proc/${pid}/stat`).ticks;
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const folder = `/proc/${pid}/task/${thread}`;
        isRunning ||= ["R", "D"].includes(fieldsOf(`${folder}/stat`).state);
        waiting.push(...readFileSync(`${folder}/children`, "utf8").split(" ").filter(Boolean).map(Number));
      }
      isKnown = true;
    } catch {
      // The process or a thread of it has ended meanwhile.
    }
  }
  return isKnown ? { ticks, isRunning } : undefined;
}

/** Reads the state and the processor time of a `stat` file. The name of the program, in parentheses, may contain spaces. */
function fieldsOf(path: string): { readonly state: string; readonly ticks: number } {
  const text = readFileSync(path, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", ticks: Number(fields[11]) + Number(fields[12]) };
}
