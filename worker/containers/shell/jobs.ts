// `wait` and `kill`, and the shells' other commands for jobs.
import type { Task } from "../../../shared/shell/task.ts";
import { signals } from "../../../shared/shell/builtins/flow.ts";
import { complain } from "../../../shared/shell/evaluate/complaints.ts";
import { charge } from "../../../shared/shell/meter.ts";
import { sleepUntil } from "./system-call.ts";
import type { ProgramCall, Programs } from "./program.ts";

const nothing = () => 0;

export const jobPrograms: Programs = {
  wait,
  kill,
  jobs: nothing,
  bg: noJob,
  fg: noJob,
  disown: nothing,
};

function noJob({ shell, name }: ProgramCall): number {
  shell.err(`${shell.parameters[0] ?? "sh"}: ${name}: no job control\n`);
  return 1;
}

/** Waits for background jobs. A trapped signal interrupts it. */
function* wait({ shell, process, args }: ProgramCall): Task<number> {
  charge(process, process.jobs.length / 50);
  const [pid] = args.filter((arg) => !arg.startsWith("-"));
  if (pid !== undefined && process.jobs.length === 0) {
    if (shell.dialect === "bash") complain(shell, `pid ${pid} is not a child of this shell`, "wait");
    return 127;
  }
  const endMs = () => process.jobs.reduce((last, job) => Math.max(last, job.endMs), process.clockMs);
  process.trapped = shell.traps.has("TERM");
  yield* sleepUntil(process, endMs);
  process.trapped = false;
  if (process.clockMs < endMs()) return 143;
  process.jobs.length = 0;
  return 0;
}

/** Ends processes. Ending the first process ends the container. Other processes are only the script's jobs and those in `running`. */
function kill({ shell, args, out, process }: ProgramCall): number {
  if (args[0] === "-l") {
    const lines = signals.map((name, at) =>
      shell.dialect === "dash" ? `${name}\n` : `${String(at + 1).padStart(2)}) ${name}\n`,
    );
    out((shell.dialect === "dash" ? "0\n" : "") + lines.join(""));
    return 0;
  }
  const pids = args.filter((arg, at) => !/^-./.test(arg) && !/^-[sn]$/.test(args[at - 1] ?? ""));
  if (pids.length === 0) {
    const usage = "Usage: kill [-s sigspec | -signum | -sigspec] [pid | job]... or\nkill -l [exitstatus]";
    if (shell.dialect === "bash")
      shell.err("kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n");
    else
      complain(
        shell,
        { ash: "you need to specify whom to kill", dash: usage, bash: "" },
        shell.dialect === "dash" ? "kill" : undefined,
      );
    return shell.dialect === "ash" ? 1 : 2;
  }
  const isKill = args.some((arg) => /^-(9|KILL|SIGKILL)$/.test(arg));
  const isQuestion = args[0] === "-0";
  for (const pid of pids) {
    const isFirst = pid === "1" || (pid === "$$" && process.isFirst);
    if (isFirst && !isKill && !isQuestion && process.isFirst) shell.flow = { kind: "exit" };
    const isThere =
      isFirst ||
      pid.startsWith("%") ||
      process.jobs.length > 0 ||
      process.self.running.some((runningProcess) => String(runningProcess.pid) === pid);
    if (isThere) continue;
    const none = "No such process";
    if (shell.dialect === "ash") shell.err(`sh: can't kill pid ${pid}: ${none}\n`);
    else complain(shell, { ash: "", dash: `${none}\n`, bash: `(${pid}) - ${none}` }, "kill");
    return 1;
  }
  return 0;
}
