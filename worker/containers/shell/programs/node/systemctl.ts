// systemctl for the services of a node: kubelet and containerd.
import type { Task } from "../../../../../shared/shell/task.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { readUnits, unitFiles } from "../../../node/kubelet-start.ts";
import {
  commandLine,
  descriptions,
  isUnit,
  pidOf,
  started,
  stopped,
  unitAt,
  unitNames,
  type UnitName,
  type UnitState,
} from "../../../node/units.ts";
import type { Process } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { sleep } from "../../system-call.ts";
import { dayAndTime, journalOf, journalText, upMs } from "./journal.ts";
import { writeUnit } from "./on-node.ts";

/** The number of journal lines below a status. */
const journalLines = 10;
const unitWork = 50;

type Verb = (call: ProgramCall, unit: UnitName) => number | Task<number>;

const verbs: Readonly<Record<string, Verb>> = {
  start: (call, unit) => change(call, unit, started),
  stop: (call, unit) => change(call, unit, stopped),
  restart: (call, unit) => change(call, unit, restarted),
  "reload-or-restart": (call, unit) => change(call, unit, restarted),
  "try-restart": (call, unit) => change(call, unit, restarted),
  status,
  "is-active": (call, unit) => printState(call, unit),
  "is-enabled": ({ process, out }, unit) => {
    const { isEnabled } = unitAt(process.files, unit, process.clockMs);
    out(isEnabled ? "enabled\n" : "disabled\n");
    return isEnabled ? 0 : 1;
  },
  enable: (call, unit) => enable(call, unit, true),
  disable: (call, unit) => enable(call, unit, false),
  cat,
};

export function* systemctl(call: ProgramCall): Task<number> {
  const { err, process, args } = call;
  const { rest, flags } = options(
    args.filter((arg) => arg !== "--now"),
    "n",
  );
  const [verb = "", ...names] = rest;
  charge(process, unitWork);
  if (verb === "daemon-reload" || verb === "daemon-reexec") return reload(process);
  if (verb === "list-units" || verb === "") return listUnits(call);
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!run) {
    err(`Unknown command verb '${verb}'.\n`);
    return 1;
  }
  if (names.length === 0) {
    err("Too few arguments.\n");
    return 1;
  }
  let code = 0;
  for (const name of names) {
    const unit = name.replace(/\.service$/, "");
    if (!isUnit(unit)) code = unknownUnit(call, verb, unit, flags.has("quiet"));
    else {
      const result = run(call, unit);
      code = typeof result === "number" ? result : yield* result;
      if (args.includes("--now") && (verb === "enable" || verb === "disable"))
        code = yield* change(call, unit, verb === "enable" ? started : stopped);
    }
  }
  return code;
}

function unknownUnit({ out, err }: ProgramCall, verb: string, unit: string, isQuiet: boolean): number {
  if (verb === "is-active") {
    if (!isQuiet) out("inactive\n");
    return 3;
  }
  if (verb === "is-enabled") {
    out("not-found\n");
    return 4;
  }
  if (verb === "status") err(`Unit ${unit}.service could not be found.\n`);
  else if (verb === "cat") err(`No files found for ${unit}.service.\n`);
  else err(`Failed to ${verb} ${unit}.service: Unit ${unit}.service not found.\n`);
  return verb === "status" ? 4 : verb === "cat" ? 1 : 5;
}

function restarted(files: Process["files"], unit: UnitName, nowMs: number): UnitState {
  const state = stopped(files, unit, nowMs);
  // The stopped state is not a file yet.
  const at = {
    get: (path: string) => (path.endsWith(`/${unit}.service.json`) ? textEntry(state, nowMs) : files.get(path)),
  };
  return started(at, unit, nowMs);
}

function textEntry(state: UnitState, changedMs: number) {
  return { text: JSON.stringify(state), mode: 0o644, changedMs };
}

function* change(
  call: ProgramCall,
  unit: UnitName,
  next: (files: Process["files"], unit: UnitName, nowMs: number) => UnitState,
): Task<number> {
  const { process, err } = call;
  if (process.self.uid !== 0) {
    err(`Failed to ${call.args[0] ?? ""} ${unit}.service: Access denied\n`);
    return 4;
  }
  const before = unitAt(process.files, unit, process.clockMs);
  if (next !== stopped && before.units && before.units.join("\0") !== readUnits(process.files).join("\0"))
    err(
      `Warning: The unit file, source configuration file or drop-ins of ${unit}.service changed on disk. Run 'systemctl daemon-reload' to reload units.\n`,
    );
  writeUnit(process, unit, next(process.files, unit, process.clockMs));
  yield* sleep(process, 100);
  return 0;
}

function enable({ process, err }: ProgramCall, unit: UnitName, isEnabled: boolean): number {
  const state = unitAt(process.files, unit, process.clockMs);
  if (state.isEnabled === isEnabled) return 0;
  const link = `/etc/systemd/system/multi-user.target.wants/${unit}.service`;
  err(isEnabled ? `Created symlink '${link}' → '/usr/lib/systemd/system/${unit}.service'.\n` : `Removed '${link}'.\n`);
  writeUnit(process, unit, { ...state, isEnabled });
  return 0;
}

/** Reads the unit files again. */
function reload(process: Process): number {
  const state = unitAt(process.files, "kubelet", process.clockMs);
  const units = readUnits(process.files);
  if (state.units?.join("\0") !== units.join("\0")) writeUnit(process, "kubelet", { ...state, units });
  return 0;
}

function stateName({ isActive, failure }: UnitState): string {
  return isActive ? "active" : failure ? "activating" : "inactive";
}

function printState({ process, out }: ProgramCall, unit: UnitName): number {
  const state = unitAt(process.files, unit, process.clockMs);
  out(`${stateName(state)}\n`);
  return state.isActive ? 0 : 3;
}

function cat({ process, out, err }: ProgramCall, unit: UnitName): number {
  const paths = unit === "kubelet" ? unitFiles : ["/usr/lib/systemd/system/containerd.service"];
  const texts = paths.flatMap((path) => {
    const text = process.files.get(path)?.text;
    return text === undefined ? [] : [`# ${path}\n${text}`];
  });
  if (texts.length === 0) err(`No files found for ${unit}.service.\n`);
  out(texts.join("\n"));
  return texts.length === 0 ? 1 : 0;
}

function listUnits({ process, out }: ProgramCall): number {
  const rows = unitNames.map((unit) => {
    const state = unitAt(process.files, unit, process.clockMs);
    const sub = state.isActive ? "running" : state.failure ? "auto-restart" : "dead";
    return `  ${`${unit}.service`.padEnd(20)} loaded ${stateName(state).padEnd(10)} ${sub.padEnd(12)} ${descriptions[unit]}\n`;
  });
  out(
    `  ${"UNIT".padEnd(20)} LOAD   ${"ACTIVE".padEnd(10)} ${"SUB".padEnd(12)} DESCRIPTION\n${rows.join("")}\n${rows.length} loaded units listed.\n`,
  );
  return 0;
}

function* status(call: ProgramCall, unit: UnitName): Task<number> {
  const { process, out } = call;
  const nowMs = process.clockMs;
  const state = unitAt(process.files, unit, nowMs);
  const sinceMs = state.sinceMs ?? nowMs - upMs;
  const attemptMs = state.failure ? nowMs - ((nowMs - sinceMs) % 10_000) : sinceMs;
  const dropIn =
    unit === "kubelet"
      ? "    Drop-In: /usr/lib/systemd/system/kubelet.service.d\n             └─10-kubeadm.conf\n"
      : "";
  const enabled = state.isEnabled ? "enabled" : "disabled";
  const head = `${state.isActive || state.failure ? "●" : "○"} ${unit}.service - ${descriptions[unit]}\n     Loaded: loaded (/usr/lib/systemd/system/${unit}.service; ${enabled}; preset: enabled)\n${dropIn}`;
  const since = `since ${dayAndTime(attemptMs)}; ${ago(nowMs - attemptMs)} ago`;
  const pid = pidOf(unit, state.failure ? attemptMs : state.sinceMs);
  const docs = `       Docs: ${unit === "kubelet" ? "https://kubernetes.io/docs/" : "https://containerd.io"}\n`;
  if (state.isActive)
    out(
      `${head}     Active: active (running) ${since}\n${docs}   Main PID: ${pid} (${unit})\n      Tasks: ${unit === "kubelet" ? 12 : 58} (limit: 9444)\n     CGroup: /system.slice/${unit}.service\n             └─${pid} ${commandLine(unit)}\n\n`,
    );
  else if (state.failure) {
    const code = state.failure.error === undefined ? "203/EXEC" : "1/FAILURE";
    out(
      `${head}     Active: activating (auto-restart) (Result: exit-code) ${since}\n${docs}    Process: ${pid} ExecStart=${state.failure.program} $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS (code=exited, status=${code})\n   Main PID: ${pid} (code=exited, status=${code})\n\n`,
    );
  } else
    out(`${head}     Active: inactive (dead) ${since}\n${docs}   Main PID: ${pid} (code=exited, status=0/SUCCESS)\n\n`);
  const lines = yield* journalOf(process, unit);
  for (const line of lines.slice(-journalLines)) out(`${journalText(process, line)}\n`);
  return state.isActive ? 0 : 3;
}

/** Formats a duration as systemd does. */
function ago(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const counted = (count: number, name: string) => (count > 0 ? [`${count}${name}`] : []);
  const weeks = Math.floor(seconds / 604_800);
  const days = Math.floor((seconds % 604_800) / 86_400);
  const plural = (count: number, name: string) => counted(count, ` ${name}${count === 1 ? "" : "s"}`);
  if (seconds >= 86_400) return [...plural(weeks, "week"), ...plural(days, "day")].join(" ");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return [...counted(hours, "h"), ...counted(minutes, "min")].join(" ");
  if (minutes > 0) return [...counted(minutes, "min"), ...counted(seconds % 60, "s")].join(" ");
  return seconds > 0 ? `${seconds}s` : `${ms}ms`;
}
