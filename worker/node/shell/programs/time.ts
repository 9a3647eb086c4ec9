// Programs that take time or tell it.
import type { Call, Programs } from "../program.ts";
import { advance } from "../process.ts";
import { scoped } from "../shell.ts";
import { inner } from "../builtins/inner.ts";

export const timePrograms: Programs = {
  sleep: ({ process, args }) => {
    advance(process, sleepMs(args));
    return 0;
  },
  usleep: ({ process, args }) => {
    advance(process, Number(args[0]) / 1000 || 0);
    return 0;
  },
  date,
  uptime: ({ process, out }) => {
    out(
      ` ${new Date(process.clockMs).toISOString().slice(11, 19)} up 12 days,  3:42,  0 users,  load average: 0.08, 0.11, 0.09\n`,
    );
    return 0;
  },
  timeout,
  time: (call) => {
    call.shell.run(call.shell, call.args);
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

/** The program is stopped when its time is up. */
function timeout(call: Call): number {
  const { process, shell, args } = call;
  const rest = args.filter((arg, at) => !arg.startsWith("-") && !/^-[sk]$/.test(args[at - 1] ?? ""));
  const limitMs = sleepMs(rest.slice(0, 1));
  const own = { ...process, untilMs: Math.min(process.untilMs, process.clockMs + limitMs) };
  const nested = { ...inner(call), process: own };
  scoped(shell, () => void shell.run(nested, rest.slice(1)));
  const late = own.paused && own.clockMs < process.untilMs && own.clockMs < process.meter.oomMs;
  process.clockMs = own.clockMs;
  process.version = own.version;
  process.outside = own.outside;
  process.outsideAt = own.outsideAt;
  process.paused = own.paused && !late;
  process.endless = own.endless && !late;
  return late ? 124 : nested.exitCode;
}

function date({ process, args, out, shell }: Call): number {
  // What reads the time in a loop is not the same each round.
  if (shell.captured) process.version++;
  const format = args.find((arg) => arg.startsWith("+"))?.slice(1);
  if (args.some((arg) => arg.startsWith("-I") || arg === "--iso-8601=seconds")) {
    out(`${new Date(process.clockMs).toISOString().slice(0, 19)}+00:00\n`);
    return 0;
  }
  out(`${formatDate(process.clockMs, format ?? "%a %b %e %H:%M:%S UTC %Y")}\n`);
  return 0;
}

function formatDate(ms: number, format: string): string {
  const when = new Date(Math.floor(ms / 1000) * 1000);
  const text = when.toUTCString();
  const iso = when.toISOString();
  const values: Record<string, string> = {
    a: text.slice(0, 3),
    b: text.slice(8, 11),
    h: text.slice(8, 11),
    d: text.slice(5, 7),
    e: text.slice(5, 7).replace(/^0/, " "),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    Y: iso.slice(0, 4),
    y: iso.slice(2, 4),
    m: iso.slice(5, 7),
    s: String(when.getTime() / 1000),
    N: String((ms % 1000) * 1_000_000).padStart(9, "0"),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    R: iso.slice(11, 16),
    D: `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(2, 4)}`,
    Z: "UTC",
    z: "+0000",
    "%": "%",
  };
  return format.replace(/%([A-Za-z%])/g, (whole, letter: string) => values[letter] ?? whole);
}
