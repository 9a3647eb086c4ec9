// The journal of a node's services: starts and stops, and what the kubelet logs about pods, manifests and the API server.
import type { Task } from "../../../../../shared/shell/task.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { manifestFolder } from "../../../../machine/control-plane.ts";
import { readManifest } from "../../../../machine/static-manifest.ts";
import { isApiServer } from "../../../node/node-pki.ts";
import {
  failureLines,
  type JournalLine,
  kubeletLine,
  pidOf,
  unitAt,
  type UnitName,
  descriptions,
} from "../../../node/units.ts";
import type { Process } from "../../process.ts";
import { inspect, listNodePods } from "../../system-call.ts";
import { kubeletLines } from "../machine/kubelet-lines.ts";
import { nodeName } from "./on-node.ts";

/** The time since the node's start. */
export const upMs = 12 * 86_400_000;
/** The interval of a kubelet's attempts to reach the API server, and the number of attempts that the journal has. */
const retryMs = 7_000;
const mostRetries = 20;

export function dayAndTime(ms: number): string {
  const text = new Date(ms).toUTCString();
  return `${text.slice(0, 3)} ${new Date(ms).toISOString().slice(0, 10)} ${text.slice(17, 25)} UTC`;
}

export function journalText(process: Process, { atMs, by, text }: JournalLine): string {
  const time = new Date(atMs).toUTCString();
  return `${time.slice(8, 11)} ${time.slice(5, 7)} ${time.slice(17, 25)} ${nodeName(process)} ${by}: ${text}`;
}

/** Returns the lines of a service, oldest first. */
export function* journalOf(process: Process, unit: UnitName): Task<readonly JournalLine[]> {
  const { files, clockMs } = process;
  const state = unitAt(files, unit, clockMs);
  const first: JournalLine = {
    atMs: clockMs - upMs,
    by: "systemd[1]",
    text: `Started ${unit}.service - ${descriptions[unit]}.`,
  };
  const serviceLines = [first, ...state.journal, ...failureLines(state, clockMs)];
  if (unit !== "kubelet") return serviceLines;
  const pid = pidOf(unit, state.sinceMs);
  const by = `kubelet[${pid}]`;
  const podLines = state.isActive ? kubeletLines(yield* listNodePods(process), clockMs, pid) : [];
  charge(process, podLines.length);
  const lines = [
    ...serviceLines,
    ...podLines
      .filter(({ atMs }) => atMs >= (state.sinceMs ?? 0) || atMs === clockMs)
      .map(({ atMs, text }) => ({ atMs, by, text })),
    ...(state.isActive ? manifestLines(process, state.loaded?.staticPodPath ?? manifestFolder, by, pid) : []),
    ...(state.isActive && state.loaded
      ? yield* connectionLines(process, state.loaded.server, state.sinceMs ?? 0, pid)
      : []),
  ];
  return lines.sort((a, b) => a.atMs - b.atMs);
}

/** Returns the errors about manifests that the kubelet cannot read. */
function manifestLines({ files, clockMs }: Process, folder: string, by: string, pid: number): JournalLine[] {
  if (folder === "") return [];
  return files.names(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    const text = files.get(path)?.text;
    const problem = text === undefined || name.startsWith(".") ? undefined : readManifest(text);
    if (typeof problem !== "string") return [];
    const error = `${path}: ${problem}`;
    return [
      {
        atMs: clockMs,
        by,
        text: kubeletLine(
          clockMs,
          "E",
          pid,
          "file.go:187",
          `"Could not process manifest file" err=${JSON.stringify(error)} path=${JSON.stringify(path)}`,
        ),
      },
    ];
  });
}

/** Returns the errors of a kubelet that has another address than the API server's. */
function* connectionLines(
  process: Process,
  server: string,
  sinceMs: number,
  pid: number,
): Task<readonly JournalLine[]> {
  const controlPlane = yield* inspect(process, ({ controlPlane }) => controlPlane);
  if (isApiServer(server, controlPlane)) return [];
  const node = nodeName(process);
  const count = Math.floor((process.clockMs - sinceMs) / retryMs);
  const from = Math.max(0, count - mostRetries);
  return Array.from({ length: count - from + 1 }, (_, at) => {
    const atMs = sinceMs + (from + at) * retryMs;
    const url = `https://${server}/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node}?timeout=10s`;
    const error = `Get "${url}": dial tcp ${server}: connect: connection refused`;
    return {
      atMs,
      by: `kubelet[${pid}]`,
      text: kubeletLine(
        atMs,
        "E",
        pid,
        "controller.go:145",
        `"Failed to ensure lease exists, will retry" err=${JSON.stringify(error)} interval="7s"`,
      ),
    };
  });
}
