// Programs that take time or measure it.
import { finished, type Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall, Programs } from "../program.ts";
import type { Process } from "../process.ts";
import { sleep } from "../system-call.ts";
import { scoped } from "../shell.ts";
import { date } from "./text/date.ts";
import { isBusybox } from "./per-file.ts";
import { inner } from "../inner.ts";

export const timePrograms: Programs = {
  *sleep({ process, args, err }) {
    const bad = args.find((arg) => !/^(?:inf(?:inity)?|(?:\d+(?:\.\d*)?|\.\d+)[smhd]?)$/i.test(arg) || arg === "");
    if (args.length === 0 || (bad !== undefined && process.programs !== undefined)) {
      const gnu = bad === undefined ? "missing operand" : `invalid time interval '${bad}'`;
      const busyboxText = bad === undefined ? "missing operand" : `invalid number '${bad}'`;
      err(isBusybox(process) ? `sleep: ${busyboxText}\n` : `sleep: ${gnu}\nTry 'sleep --help' for more information.\n`);
      return 1;
    }
    yield* sleep(process, sleepMs(args));
    return 0;
  },
  *usleep({ process, args }) {
    yield* sleep(process, Number(args[0]) / 1000 || 0);
    return 0;
  },
  date,
  timeout,
  *time(call) {
    yield* call.shell.run(call.shell, call.args);
    return call.shell.exitCode;
  },
};

/** Returns the sum of `1m 30s`. Accepts `infinity`; arguments that only a real shell could evaluate count as one second. */
export function sleepMs(args: readonly string[]): number {
  const units: Record<string, number> = { "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const arg of args) {
    const match = /^(\d+(?:\.\d+)?|\.\d+)([smhd]?)$/.exec(arg);
    if (!match) return /^inf/i.test(arg) ? Number.POSITIVE_INFINITY : 1000;
    total += Number(match[1]) * (units[match[2] ?? ""] ?? 1000);
  }
  return Math.round(total);
}

/** Reports whether the process was abandoned for another reason than its time limit. */
function isLeft({ clockMs, meter, horizon }: Process): boolean {
  return clockMs >= meter.oomMs || horizon.isUnwound;
}

/** Returns the duration and the command. What follows belongs to the command. */
function afterOptions(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith("-") && args[at] !== "--")
    at += /^(-[sk]|--signal|--kill-after)$/.test(args[at] ?? "") ? 2 : 1;
  return args.slice(args[at] === "--" ? at + 1 : at);
}

/** Runs a program and stops it at its time limit. */
function* timeout(call: ProgramCall): Task<number> {
  const { process, shell, args } = call;
  const rest = afterOptions(args);
  const limitMs = sleepMs(rest.slice(0, 1));
  const limited = { ...process, untilMs: Math.min(process.untilMs, process.clockMs + limitMs) };
  const nested = { ...inner(call), process: limited };
  yield* finished(scoped(shell, () => shell.run(nested, rest.slice(1))));
  const late = limited.paused && limited.clockMs < process.untilMs && !isLeft(limited);
  process.clockMs = limited.clockMs;
  process.version = limited.version;
  process.outside = limited.outside;
  process.outsideAt = limited.outsideAt;
  process.paused = limited.paused && !late;
  process.endless = limited.endless && !late;
  // Busybox ends with the signal's own code.
  if (late && call.process.programs?.has("ash")) {
    if (call.shell.isStrict) call.err("Terminated\n");
    return 143;
  }
  return late ? 124 : nested.exitCode;
}
