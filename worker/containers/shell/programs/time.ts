// Programs that take time or tell it.
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
      const said = bad === undefined ? "missing operand" : `invalid number '${bad}'`;
      err(isBusybox(process) ? `sleep: ${said}\n` : `sleep: ${gnu}\nTry 'sleep --help' for more information.\n`);
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

/** The sum of `1m 30s`; `infinity`, and what only a real shell could work out, as well. */
export function sleepMs(args: readonly string[]): number {
  const units: Record<string, number> = { "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const arg of args) {
    const parts = /^(\d+(?:\.\d+)?|\.\d+)([smhd]?)$/.exec(arg);
    if (!parts) return /^inf/i.test(arg) ? Number.POSITIVE_INFINITY : 1000;
    total += Number(parts[1]) * (units[parts[2] ?? ""] ?? 1000);
  }
  return Math.round(total);
}

/** Whether it was left for another reason than its time limit. */
function isLeft({ clockMs, meter, horizon }: Process): boolean {
  return clockMs >= meter.oomMs || horizon.isUnwound;
}

/** Returns the duration and the command: what follows them belongs to the command. */
function afterOptions(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith("-") && args[at] !== "--")
    at += /^(-[sk]|--signal|--kill-after)$/.test(args[at] ?? "") ? 2 : 1;
  return args.slice(args[at] === "--" ? at + 1 : at);
}

/** The program is stopped when its time is up. */
function* timeout(call: ProgramCall): Task<number> {
  const { process, shell, args } = call;
  const rest = afterOptions(args);
  const limitMs = sleepMs(rest.slice(0, 1));
  const own = { ...process, untilMs: Math.min(process.untilMs, process.clockMs + limitMs) };
  const nested = { ...inner(call), process: own };
  yield* finished(scoped(shell, () => shell.run(nested, rest.slice(1))));
  const late = own.paused && own.clockMs < process.untilMs && !isLeft(own);
  process.clockMs = own.clockMs;
  process.version = own.version;
  process.outside = own.outside;
  process.outsideAt = own.outsideAt;
  process.paused = own.paused && !late;
  process.endless = own.endless && !late;
  // Busybox' ends with the signal's own code.
  if (late && call.process.programs?.has("ash")) {
    if (call.shell.isStrict) call.err("Terminated\n");
    return 143;
  }
  return late ? 124 : nested.exitCode;
}
