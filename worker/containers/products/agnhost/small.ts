// agnhost's commands that print something and end, or only wait.
import type { Task } from "../../../../shared/shell/task.ts";
import { type ProgramCall } from "../../shell/program.ts";
import { linesOf } from "../../../../shared/shell/lines.ts";
import { edit } from "../../shell/process.ts";
import { sleep } from "../../shell/system-call.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { flagsOf } from "./flags.ts";
import { logLine } from "./log.ts";
import { listenTo } from "./serving.ts";

/** Prints its command line, including its own name. */
export function entrypointTester({ out, args, path }: ProgramCall): number {
  out(`[${[path, ...args].join(" ")}]\n`);
  return 0;
}

/** Waits for a signal, and writes a message about it. */
export function* pause(call: ProgramCall): Task<number> {
  const { process, shell, out } = call;
  out("Paused\nSignals registered\n");
  return yield* listenTo(
    call,
    function* () {
      yield* sleep(process, Number.POSITIVE_INFINITY);
      return 0;
    },
    () => {
      const text = 'exiting because of signal "terminated"\n';
      edit(process, { path: shell.variables.get("TERMINATION_MESSAGE_PATH") || "/dev/termination-log", text });
      out(text);
      return 2;
    },
  );
}

const resolver = "/etc/resolv.conf";

export function dnsSuffix(call: ProgramCall): number {
  return printList(call, "search");
}

export function dnsServerList(call: ProgramCall): number {
  return printList(call, "nameserver");
}

/** Prints the words after a name on its first line, separated by commas. */
function printList({ process, out, err }: ProgramCall, name: string): number {
  const text = process.files.get(resolver)?.text ?? "";
  charge(process, text.length / 64);
  const line = linesOf(text).find((candidate) => candidate.startsWith(name));
  if (line === undefined) {
    err("panic: Could not find DNS search list!\n");
    return 2;
  }
  out(`${line.split(" ").slice(1).join(",")}\n`);
  return 0;
}

export function etcHosts({ process, out }: ProgramCall): number {
  out(`${process.files.get("/etc/hosts")?.text ?? ""}\n`);
  return 0;
}

const methods = ["GET", "POST", "PUT"];
const namespaces = ["kube-system", "default", "ns"];

/** Prints a number of lines, evenly distributed over a time. */
export function* logsGenerator(call: ProgramCall): Task<number> {
  const { process, err } = call;
  const flags = flagsOf(call.args, [], { t: "log-lines-total", d: "run-duration" });
  const total = flags.number("log-lines-total", 0);
  const durationMs = flags.durationMs("run-duration") ?? 0;
  const fatal = (why: string) => {
    err(logLine(process.clockMs, why, "F"));
    return 255;
  };
  if (total <= 0) return fatal(`Invalid total number of lines: ${total}`);
  if (durationMs <= 0) return fatal("Invalid duration: 0s");
  for (let id = 0; id < total && !process.paused; id++) {
    charge(process, 1);
    const pick = (list: readonly string[]) => list[next(process) % list.length] ?? "";
    const pod = (next(process) % 46_656).toString(36).padStart(3, "a");
    const url = `/api/v1/namespaces/${pick(namespaces)}/pods/${pod}`;
    err(logLine(process.clockMs, `${id} ${pick(methods)} ${url} ${200 + (next(process) % 400)}`));
    yield* sleep(process, durationMs / total);
  }
  return 0;
}

/** Returns the next number of a linear congruential generator, so that a repeated run has the same numbers. */
function next(process: ProgramCall["process"]): number {
  process.seed = (Math.imul(process.seed, 1_103_515_245) + 12_345) >>> 0;
  return process.seed >>> 8;
}
