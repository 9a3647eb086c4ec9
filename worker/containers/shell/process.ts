// A process on simulated time: its effects up to a moment. Nothing here waits; running it again gives the same result.
import type { Release } from "../../../shared/k8s/settings/release.ts";
import type { Onward, VisitCalls } from "../wasm/visit-calls.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { ControlPlaneNode, NodePki } from "../node/node-pki.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { ImageSource } from "../images/own-images.ts";
import { applyEdit, type Edit, type Files } from "./files.ts";
import type { ContainerMeter } from "./meter.ts";
import { charge, heapBytes, hold, chargeForReading, Stopped } from "../../../shared/shell/meter.ts";

import type { VisitAnswer } from "../wasm/visits.ts";
import type { Contact, Reached } from "./contact.ts";
import type { Server } from "./server.ts";
import type { Assumptions } from "./assumption.ts";

/** The cluster as a process sees it. */
export interface World {
  /** Resolves a name at a time: returns since when and to which addresses; undefined if it does not resolve yet. */
  service(namespace: string, name: string, atMs: number): ServiceView | undefined;
  /** Returns the name of an address, `name.namespace`, with a host before it if several addresses share the name. */
  nameOf?(address: string, atMs: number): string | undefined;
  /** Returns the time of the first write to the cluster after a moment; Infinity if there is none. */
  nextWriteMs?(afterMs: number): number;
  /** Opens a connection; undefined if no network is known. */
  reach?(contact: Contact): Reached;
  /** Returns how the run's own server opens connections for a visit; undefined for the default. See `VisitRequest.reach`. */
  onward?(visitId: string): Onward | undefined;
  /** Discards what was computed from the newest state of the cluster, because there may be a newer one. */
  refresh?(): void;
  /** The container runtime of the node; undefined if there is no node. */
  readonly node?: NodeRuntime;
}

export interface NodeRuntime extends ImageSource {
  readonly name: string;
  /** The release of its software. Default: the newest. */
  readonly release?: Release;
  /** Returns the pods that are bound to the node and have not ended. */
  pods(): readonly Pod[];
  /** Returns the cluster at a moment, for tools on the node; undefined if no cluster is known. */
  cluster?(atMs: number): InspectedCluster | undefined;
  /** Returns the lines of the present run of a container or of the one before, without line ends. */
  log(pod: Pod, container: string, previous: boolean, nowMs: number): readonly Chunk[];
}

/** The cluster as the tools of a node see it. */
export interface InspectedCluster {
  readonly client: ReconcileContext["client"];
  readonly controlPlane: ControlPlaneNode | undefined;
  readonly pki: NodePki | undefined;
}

export interface ServiceView {
  readonly sinceMs: number;
  /** The time since which something answers behind the Service. */
  readonly answersMs: number | undefined;
  readonly ports: readonly NamedPort[];
  /** The addresses of the name; several for a headless Service. */
  readonly addresses: readonly string[];
  readonly isHeadless?: boolean;
  /** The pods behind the Service that have a hostname. */
  readonly hosts: Readonly<Record<string, { readonly address: string; readonly sinceMs: number }>>;
  /** The external name that it stands for. */
  readonly alias?: string;
}

export interface NamedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

export interface Mount {
  /** The path without a closing slash; empty for the root. */
  readonly path: string;
  readonly type: "overlay" | "tmpfs" | "ext4";
  readonly readOnly: boolean;
  /** The name of the volume, and the mounted folder of it: `/a/b`, or empty for all of it. */
  readonly name: string;
  readonly below: string;
  /** The size; undefined if it is not limited. */
  readonly sizeBytes?: number;
  /** The folder of the node that it shows. */
  readonly hostPath?: string;
}

/** Returns the innermost mount that contains a path. */
export function mountOf({ mounts }: Pick<Process, "mounts">, path: string): Mount | undefined {
  const around = mounts.filter((mount) => path === mount.path || path.startsWith(`${mount.path}/`));
  return around.reduce<Mount | undefined>((a, b) => (a && a.path.length > b.path.length ? a : b), undefined);
}

/** The identity of a process, and the processes that run beside it. */
export interface Self {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly image: string;
  /** The address of the pod. */
  readonly address: string;
  readonly running: readonly Running[];
  /** Whether the process may change the network configuration (NET_ADMIN). */
  readonly isNetworkAdmin: boolean;
  /** Whether the process may mount file systems. */
  readonly isSystemAdmin: boolean;
  /** Whether setuid programs run as their owner. */
  readonly mayEscalate: boolean;
}

/** The main program of the container in which a command runs: the command uses its files and ports. */
export interface Beside {
  readonly server: Server;
  readonly ports: ReadonlyMap<number, number>;
}

export interface Running {
  readonly pid: number;
  readonly uid: number;
  readonly command: string;
}

export const nobodyKnown: Self = {
  uid: 0,
  gid: 0,
  groups: [0],
  image: "",
  address: "",
  running: [],
  isNetworkAdmin: false,
  isSystemAdmin: false,
  mayEscalate: true,
};

export const emptyWorld: World = { service: () => undefined };

export interface Chunk {
  readonly atMs: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** Whether a visitor, a probe or a person caused the output, and not the run itself. */
  readonly isFromOutside?: true;
}

/** How far a run is followed. Shared by its processes. */
export interface Horizon {
  /** The run waits at this time until it is advanced. */
  untilMs: number;
  /** The time to which the run will be followed in steps. Equal rounds are skipped up to shortly before it. */
  targetMs: number;
  /** The end of the last skipped rounds; -Infinity if there are none. The output before it may be incomplete. */
  skippedMs: number;
  /** Whether a process that cannot wait, such as one inside WebAssembly, was abandoned at the horizon. The run must then start again. */
  isUnwound: boolean;
  /** Whether an interpreter's memory was dropped while the run waited. The run must then start again. */
  isEvicted: boolean;
  /** Whether a process has read something outside its container: a name, a connection, or another container's log. */
  hasAsked: boolean;
  /** The number of interpreters that hold a memory. */
  machines: number;
  /** The visit that the run's own server answers; undefined if it answers none. */
  visitId: string | undefined;
  /** The connections that the run's own server opened for its visitors, by the id of the visit. */
  readonly visits: Map<string, VisitCalls>;
  /** The open pipes, the outer before the inner. */
  readonly pipes: Set<OpenPipe>;
}

/** The output of equal rounds of a loop, of which the newest is kept. */
export interface PrintedSeries {
  isOpen: boolean;
  /** The time after which a round may have another result; Infinity if none is known. */
  validUntilMs: number;
  chunks: Chunk[];
}

/** The output of a stage of a pipeline so far, and its target if the stage never ends. */
export interface OpenPipe {
  readonly out: (text: string) => void;
  readonly target: (text: string) => void;
  readonly text: string;
}

/** A background job, with the processes that it started. */
export interface Job {
  readonly process: Process;
  /** The end of the job; Infinity while it runs. */
  endMs: number;
  /** Runs the job up to the horizon. */
  resume(): void;
  /** Returns when the job continues; Infinity if it never does. */
  nextMs(): number;
}

export function newHorizon(untilMs: number): Horizon {
  const skippedMs = Number.NEGATIVE_INFINITY;
  return {
    untilMs,
    targetMs: untilMs,
    skippedMs,
    isUnwound: false,
    isEvicted: false,
    hasAsked: false,
    machines: 0,
    visitId: undefined,
    visits: new Map(),
    pipes: new Set(),
  };
}

export function newSeries(): PrintedSeries {
  return { isOpen: false, validUntilMs: Number.POSITIVE_INFINITY, chunks: [] };
}

export interface Process {
  clockMs: number;
  /** The process is stopped at this time, as by a time limit. */
  untilMs: number;
  readonly horizon: Horizon;
  readonly series: PrintedSeries;
  /** The remaining budget. */
  readonly meter: ContainerMeter;
  /** Whether the process is at `untilMs`, at the end of its budget or at a horizon where it cannot wait, or never ends. */
  paused: boolean;
  /** Whether the process never ends. */
  endless: boolean;
  /** Whether the process repeats equal rounds until other objects change their results. */
  awaitsOthers: boolean;
  /** Whether the process never ends and its files keep changing. They are known up to `clockMs`. */
  restless: boolean;
  /** Whether equal rounds of a loop are run because their output is needed. */
  readonly prints: boolean;
  /** Whether the budget is spent. */
  isSpent: boolean;
  /** Increases with every change of files and variables. Two rounds of a loop with the same version are equal. */
  version: number;
  readonly files: Files;
  readonly edits: Edit[];
  /** Changes from outside, in the order of time. Those before `outsideAt` have been applied. */
  outside: Edit[];
  outsideAt: number;
  /** The output of the process and of its background jobs. */
  readonly chunks: Chunk[];
  readonly world: World;
  readonly namespace: string;
  /** The objects that the process looked for and did not find: `service/<namespace>/<name>`. */
  readonly waitsFor: Set<string>;
  /** The time when such an object is created, if that is known. */
  validUntilMs: number;
  /** The time of SIGTERM; Infinity if there is none. */
  readonly termMs: number;
  termSeen: boolean;
  /** Whether the foreground program ends by itself on SIGTERM. */
  heedsTerm: boolean;
  /** Whether the signal is trapped, so that it interrupts a wait. */
  trapped: boolean;
  readonly memoryLimit: number | undefined;
  /** The file systems, the root first. If there are none, everything can be written. */
  readonly mounts: readonly Mount[];
  /** Background jobs that the process has not waited for. */
  readonly jobs: Job[];
  /** Background jobs that may continue, in the order of their start. */
  readonly running: Job[];
  /** The ports on which something listens, with the time since when. */
  readonly ports: Map<number, number>;
  /** The server that answers at the ports; undefined if nothing is known of it. */
  server: Server | undefined;
  /** The ports on which the process's own code listens. */
  readonly ownPorts: Set<number>;
  /** The answers of the process's own code, by the visit's id. */
  readonly answers: Map<string, VisitAnswer>;
  /** The main program whose ports were open when the process started. */
  readonly beside: Beside | undefined;
  /** Whether an unknown program ends after a while, or serves until it is stopped. */
  readonly unknown: "serves" | "ends";
  /** The assumptions about software that the simulator lacks. */
  readonly assumptions: Assumptions;
  /** The programs on the path; undefined if every program exists whose name does not say that it is absent. */
  readonly programs: ReadonlySet<string> | undefined;
  /** Whether all folders and files of the image are known, so that any other file is missing. */
  readonly knowsFiles: boolean;
  /** The seed of random numbers. */
  seed: number;
  readonly host: string;
  readonly self: Self;
  /** Whether the process is the container's main program and not a command beside it. */
  readonly isFirst: boolean;
  /** Whether a shell without input waits, as with a terminal, instead of ending. */
  readonly interactive: boolean;
}

/** Lets time pass for a process that cannot be suspended, and applies changes from outside. The process is abandoned at the horizon. */
export function elapse(process: Process, ms: number): void {
  if (process.paused || elapseTo(process, process.clockMs + ms)) return;
  process.paused = true;
  process.horizon.isUnwound = true;
}

/**
 * Lets time pass up to a moment, and applies changes from outside. Returns false if the horizon comes first: the process waits there, to be
 * resumed with the same moment.
 */
export function elapseTo(process: Process, wakeMs: number): boolean {
  if (process.paused) return true;
  let endMs = Math.max(wakeMs, process.clockMs);
  // A trap interrupts this wait.
  if (process.trapped && !process.termSeen && process.termMs < endMs) endMs = Math.max(process.termMs, process.clockMs);
  const untilMs = Math.min(process.untilMs, process.meter.oomMs);
  const horizonMs = process.horizon.untilMs;
  process.endless = endMs === Number.POSITIVE_INFINITY;
  if (horizonMs < Math.min(endMs, untilMs)) {
    pass(process, horizonMs);
    return false;
  }
  if (endMs > untilMs || endMs === Number.POSITIVE_INFINITY) {
    process.paused = true;
    if (untilMs === Number.POSITIVE_INFINITY) return true;
    endMs = untilMs;
  }
  pass(process, endMs);
  return true;
}

function pass(process: Process, endMs: number): void {
  process.clockMs = Math.max(process.clockMs, endMs);
  while (nextOutsideMs(process) <= endMs) {
    const edit = process.outside[process.outsideAt++];
    if (edit) change(process, edit);
    process.version++;
  }
}

/** Returns the time of the next change from outside; Infinity if there is none. */
export function nextOutsideMs({ outside, outsideAt }: Process): number {
  return outside[outsideAt]?.atMs ?? Number.POSITIVE_INFINITY;
}

/** The work of running a command, in addition to what the command does. */
const commandWork = 1;

/** Charges the work of one command. Returns false if the process is paused. A script that exceeds its budget is paused where it is. */
export function step(process: Process): boolean {
  if (process.paused) return false;
  return charge(process, commandWork);
}

/** The bytes of an edit in addition to its text. */
const editBytes = 128;

/** Writes or removes a file at the present time. */
export function edit(process: Process, change: Omit<Edit, "atMs">): void {
  if (change.path.length > limits.pathBytes) return;
  for (const path of placesOf(process, change.path)) editAt(process, { ...change, path });
}

/** Returns all paths at which a change is visible, because a volume can be mounted at several paths. */
function placesOf(process: Process, path: string): string[] {
  const innermost = process.mounts.length > 1 ? mountOf(process, path) : undefined;
  if (!innermost || innermost.name === "") return [path];
  const inside = innermost.below + path.slice(innermost.path.length);
  const otherMounts = process.mounts.filter((mount) => {
    const isThere = mount.below === inside || inside.startsWith(`${mount.below}/`);
    return mount !== innermost && mount.name === innermost.name && isThere;
  });
  return [path, ...otherMounts.map((mount) => mount.path + inside.slice(mount.below.length))];
}

function editAt(process: Process, requested: Omit<Edit, "atMs">): void {
  const { files, edits, clockMs } = process;
  const before = files.get(requested.path);
  const edit: Edit = {
    ...(before || requested.removed ? {} : ownerOf(process, requested.path)),
    ...requested,
    atMs: clockMs,
  };
  if (requested.removed ? !files.exists(requested.path) : before && isSame(process, before, requested)) return;
  process.version++;
  const last = edits.at(-1);
  // Lines that are appended at the same time are one change.
  const isMore = last?.path === edit.path && last.atMs === edit.atMs && !last.removed && !edit.removed;
  const size = heapBytes(edit.text ?? "");
  charge(process, 1 + edit.path.length / 64 + size / 1024);
  if (isMore) edits[edits.length - 1] = edit.appends ? { ...edit, ...appended(last, edit) } : edit;
  else edits.push(edit);
  const more = change(process, edit);
  keep(process, Math.max(0, size - more) + editBytes + edit.path.length);
}

/** Returns the owner of a new file: the process's user, with the group of a setgid folder. */
function ownerOf({ files, self }: Process, path: string): Pick<Edit, "uid" | "gid"> {
  const folder = files.get(path.slice(0, path.lastIndexOf("/")) || "/");
  const gid = (folder?.mode ?? 0) & setgid ? (folder?.gid ?? 0) : self.gid;
  return { ...(self.uid === 0 ? {} : { uid: self.uid }), ...(gid === 0 ? {} : { gid }) };
}

const setgid = 0o2000;

function appended(last: Edit, { text = "" }: Edit): Pick<Edit, "text" | "appends"> {
  return { text: (last.text ?? "") + text, appends: last.appends ?? false };
}

function isSame(process: Process, before: NonNullable<ReturnType<Files["get"]>>, change: Omit<Edit, "atMs">): boolean {
  if ((change.mode ?? before.mode) !== before.mode) return false;
  if ((change.uid ?? before.uid) !== before.uid || (change.gid ?? before.gid) !== before.gid) return false;
  if (change.appends) return change.text === "" && before.text !== undefined;
  if (before.text?.length !== change.text?.length) return false;
  chargeForReading(process, change.text ?? "");
  return before.text === change.text;
}

/** Counts the bytes of a replaced text. It is kept to the end of the run, so that every moment of the run can be read. */
function keep(process: Process, bytes: number): void {
  process.meter.history += bytes;
  if (process.meter.history <= limits.containerHistoryBytes) return;
  process.paused = true;
  throw new Stopped("spent");
}

/** Applies an edit. Returns by how many bytes the files grew. */
function change(process: Process, edit: Edit): number {
  const { files } = process;
  const before = files.bytes;
  applyEdit(files, edit);
  const more = files.bytes - before;
  hold(process, more);
  return more;
}

/** Resolves a name of the cluster. If the name does not exist yet, the process waits for it. */
export function serviceAt(process: Process, namespace: string, name: string): ServiceView | undefined {
  const { world, clockMs } = process;
  const serviceView = world.service(namespace, name, clockMs);
  process.validUntilMs = Math.min(process.validUntilMs, world.nextWriteMs?.(clockMs) ?? Number.POSITIVE_INFINITY);
  if (!serviceView) {
    process.waitsFor.add(`service/${namespace}/${name}`);
    return undefined;
  }
  if (serviceView.sinceMs <= process.clockMs) return serviceView;
  process.validUntilMs = Math.min(process.validUntilMs, serviceView.sinceMs);
  return undefined;
}

/**
 * Registers the changes that can change the result of a connection. Of a success only its own time counts: a program that waits for others
 * repeats a call that failed.
 */
export function heed(process: Process, reached: Reached): void {
  const { validUntilMs, changesData = false, waitsFor, through, dependsOn = [], answer } = reached;
  // A round that changes data is not equal to the one before.
  if (changesData) process.version++;
  if (validUntilMs !== undefined && validUntilMs > process.clockMs)
    process.validUntilMs = Math.min(process.validUntilMs, validUntilMs);
  if (waitsFor !== undefined) process.waitsFor.add(waitsFor);
  if (answer === undefined || answer.status < 400) return;
  for (const key of [through, ...dependsOn]) if (key !== undefined) process.waitsFor.add(key);
}
