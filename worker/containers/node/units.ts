// The services of a node as systemd runs them: kubelet and containerd. Their state is a file of the node, so every command on the node and
// the cluster's controllers read the same. A kubelet that cannot start is started again every ten seconds, which follows from the files.
import {
  inputsChangedMs,
  kubeletProgram,
  type KubeletFailure,
  type LoadedKubelet,
  readUnits,
  startKubelet,
} from "./kubelet-start.ts";
import type { NodeFiles } from "./node-files.ts";

export const unitNames = ["kubelet", "containerd"] as const;
export type UnitName = (typeof unitNames)[number];

export interface JournalLine {
  readonly atMs: number;
  /** The process that wrote the line: `systemd[1]`. */
  readonly by: string;
  readonly text: string;
}

export interface UnitState {
  readonly isActive: boolean;
  /** The time of the last change; undefined since the node's start. */
  readonly sinceMs?: number;
  readonly isEnabled: boolean;
  /** Why the service cannot start. systemd starts it again and again. */
  readonly failure?: KubeletFailure;
  /** The settings that the running kubelet read at its start; undefined if it runs since the node's start. */
  readonly loaded?: LoadedKubelet;
  /** The texts of the unit files that systemd has loaded; undefined since the node's start. */
  readonly units?: readonly string[];
  /** The newest lines about starts and stops. */
  readonly journal: readonly JournalLine[];
}

export const descriptions: Readonly<Record<UnitName, string>> = {
  kubelet: "kubelet: The Kubernetes Node Agent",
  containerd: "containerd container runtime",
};

/** The time between two starts of a service that fails. */
export const restartMs = 10_000;
const mostLines = 60;
/** The number of a failing service's restarts of which the journal has lines. */
const mostRestarts = 10;

const initial: UnitState = { isActive: true, isEnabled: true, journal: [] };

export function isUnit(name: string): name is UnitName {
  return (unitNames as readonly string[]).includes(name);
}

/** The folder with the states of the services. */
export const unitStateFolder = "/run/systemd/units/";

export function statePath(unit: UnitName): string {
  return `${unitStateFolder}${unit}.service.json`;
}

/** Returns the state of a service at a moment. */
export function unitAt(files: NodeFiles, unit: UnitName, nowMs: number): UnitState {
  const text = files.get(statePath(unit))?.text;
  const stored = text === undefined ? initial : parsed(text);
  const { failure, sinceMs = 0 } = stored;
  if (failure === undefined) return stored;
  const start = startKubelet(files, stored.units ?? readUnits(files), isRuntimeRunning(files, nowMs));
  if (start.failure) return { ...stored, failure: start.failure };
  const mendedMs = Math.max(sinceMs, inputsChangedMs(files), unitAt(files, "containerd", nowMs).sinceMs ?? 0);
  const startedMs = sinceMs + Math.ceil((mendedMs - sinceMs) / restartMs) * restartMs;
  if (startedMs > nowMs) return stored;
  const { failure: _, ...rest } = stored;
  return withLines({ ...rest, isActive: true, sinceMs: startedMs, loaded: start.loaded }, [
    ...failureLines(stored, startedMs - 1),
    systemd(startedMs, startedText(unit)),
  ]);
}

/** A stranger can write the file, so that anything may be in it. */
function parsed(text: string): UnitState {
  try {
    const value = JSON.parse(text) as Partial<UnitState> | null;
    return typeof value === "object" && value !== null && Array.isArray(value.journal)
      ? { ...initial, ...value }
      : initial;
  } catch {
    return initial;
  }
}

export function isRuntimeRunning(files: NodeFiles, nowMs: number): boolean {
  return unitAt(files, "containerd", nowMs).isActive;
}

/** Returns the time at which a failing service that can start now is started; Infinity for other services. */
export function nextStartMs(files: NodeFiles, state: UnitState, nowMs: number): number {
  const { failure, sinceMs = 0 } = state;
  if (failure === undefined) return Number.POSITIVE_INFINITY;
  const start = startKubelet(files, state.units ?? readUnits(files), isRuntimeRunning(files, nowMs));
  return start.failure ? Number.POSITIVE_INFINITY : nowMs + restartMs - ((nowMs - sinceMs) % restartMs);
}

/** Returns the state after `systemctl start`. */
export function started(files: NodeFiles, unit: UnitName, nowMs: number): UnitState {
  const state = unitAt(files, unit, nowMs);
  if (state.isActive) return state;
  const units = state.units ?? readUnits(files);
  const { failure: _, ...rest } = state;
  const begun = [...failureLines(state, nowMs), systemd(nowMs, startedText(unit))];
  if (unit === "containerd") return withLines({ ...rest, isActive: true, sinceMs: nowMs }, begun);
  const start = startKubelet(files, units, isRuntimeRunning(files, nowMs));
  const next = { ...rest, sinceMs: nowMs, units };
  return start.failure
    ? withLines({ ...next, isActive: false, failure: start.failure }, [])
    : withLines({ ...next, isActive: true, loaded: start.loaded }, begun);
}

/** Returns the state after `systemctl stop`. */
export function stopped(files: NodeFiles, unit: UnitName, nowMs: number): UnitState {
  const state = unitAt(files, unit, nowMs);
  if (!state.isActive && state.failure === undefined) return state;
  const { failure: _, loaded: __, ...rest } = state;
  const lines = [
    ...failureLines(state, nowMs),
    systemd(nowMs, `Stopping ${unit}.service - ${descriptions[unit]}...`),
    systemd(nowMs, `${unit}.service: Deactivated successfully.`),
    systemd(nowMs, `Stopped ${unit}.service - ${descriptions[unit]}.`),
  ];
  return withLines({ ...rest, isActive: false, sinceMs: nowMs }, lines);
}

function startedText(unit: UnitName): string {
  return `Started ${unit}.service - ${descriptions[unit]}.`;
}

function systemd(atMs: number, text: string): JournalLine {
  return { atMs, by: "systemd[1]", text };
}

function withLines(state: UnitState, lines: readonly JournalLine[]): UnitState {
  return { ...state, journal: [...state.journal, ...lines].slice(-mostLines) };
}

/** Returns the process id of a service that was started at a time. */
export function pidOf(unit: UnitName, sinceMs: number | undefined): number {
  if (sinceMs === undefined) return unit === "kubelet" ? 742 : 611;
  return 1_000 + (Math.floor(sinceMs / 1000) % 30_000);
}

/** Returns the lines of all starts of a failing service up to a moment: of the first, and of the newest. */
export function failureLines({ failure, sinceMs = 0 }: UnitState, untilMs: number): JournalLine[] {
  if (failure === undefined) return [];
  const count = Math.floor((untilMs - sinceMs) / restartMs);
  const from = Math.max(1, count - mostRestarts);
  const attempts = [0, ...Array.from({ length: Math.max(0, count - from + 1) }, (_, at) => from + at)];
  return attempts.flatMap((attempt) => attemptLines(failure, sinceMs + attempt * restartMs, attempt));
}

function attemptLines({ error, program }: KubeletFailure, atMs: number, attempt: number): JournalLine[] {
  const pid = pidOf("kubelet", atMs);
  const line = (text: string) => systemd(atMs, text);
  const status = error === undefined ? "203/EXEC" : "1/FAILURE";
  return [
    ...(attempt > 0 ? [line(`kubelet.service: Scheduled restart job, restart counter is at ${attempt}.`)] : []),
    line(startedText("kubelet")),
    ...(error === undefined
      ? [
          {
            atMs,
            by: `(kubelet)[${pid}]`,
            text: `kubelet.service: Unable to locate executable '${program}': No such file or directory`,
          },
          {
            atMs,
            by: `(kubelet)[${pid}]`,
            text: `kubelet.service: Failed at step EXEC spawning ${program}: No such file or directory`,
          },
        ]
      : [
          {
            atMs,
            by: `kubelet[${pid}]`,
            text: kubeletLine(atMs, "E", pid, "run.go:72", `"command failed" err=${JSON.stringify(error)}`),
          },
        ]),
    line(`kubelet.service: Main process exited, code=exited, status=${status}`),
    line("kubelet.service: Failed with result 'exit-code'."),
  ];
}

/** Formats a line as klog does. */
export function kubeletLine(atMs: number, level: "I" | "E" | "W", pid: number, where: string, text: string): string {
  const [date = "", time = ""] = new Date(atMs).toISOString().split("T");
  return `${level}${date.slice(5).replace("-", "")} ${time.slice(0, 12)}000 ${String(pid).padStart(7)} ${where}] ${text}`;
}

/** Returns the command line of a running service. */
export function commandLine(unit: UnitName): string {
  return unit === "containerd"
    ? "/usr/local/bin/containerd"
    : `${kubeletProgram} --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml`;
}
