// A process on simulated time: what it has done up to a moment. Nothing here waits; asking again gives the same answer.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { ImageSource } from "../images/own.ts";
import { applyEdit, type Edit, type Files } from "./files.ts";
import type { ContainerMeter } from "./meter.ts";
import { charge, heapBytes, hold, scan, Stopped } from "../../../shared/shell/meter.ts";

import type { VisitAnswer } from "../wasm/visits.ts";
import type { Contact, Reached } from "./contact.ts";
import type { Server } from "./server.ts";
import type { Assumptions } from "./assumption.ts";

/** What a process can learn of the cluster around it. */
export interface World {
  /** A name that resolves in the cluster, since when, and to which addresses; undefined: it does not, and may do so later. */
  service(namespace: string, name: string, atMs: number): ServiceView | undefined;
  /** What an address is called, `name.namespace`, with a host before it if it is one of several behind the name. */
  nameOf?(address: string, atMs: number): string | undefined;
  /** Returns the time of the first write to the cluster after a moment; Infinity if there is none. */
  nextWriteMs?(afterMs: number): number;
  /** What comes of a connection; absent where no network is known. */
  reach?(contact: Contact): Reached;
  /** Forgets what was computed from the newest state of the cluster: there may be a newer one. */
  refresh?(): void;
  /** What the container runtime of its node knows; absent where no node is. */
  readonly node?: NodeRuntime;
}

export interface NodeRuntime extends ImageSource {
  readonly name: string;
  /** Those that are bound to the node and have not ended. */
  pods(): readonly Pod[];
  /** Lines of the present run of a container, or of the one before, without their ends. */
  log(pod: Pod, container: string, previous: boolean, nowMs: number): readonly Chunk[];
}

export interface ServiceView {
  readonly sinceMs: number;
  /** Since when something answers behind it. */
  readonly answersMs: number | undefined;
  readonly ports: readonly NamedPort[];
  /** All that its name stands for: several if it is headless. */
  readonly addresses: readonly string[];
  readonly isHeadless?: boolean;
  /** Pods behind it that have a name of their own. */
  readonly hosts: Readonly<Record<string, { readonly address: string; readonly sinceMs: number }>>;
  /** The name that it stands for, elsewhere. */
  readonly alias?: string;
}

export interface NamedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

export interface Mount {
  /** Without a closing slash; empty for the root. */
  readonly path: string;
  readonly type: "overlay" | "tmpfs" | "ext4";
  readonly readOnly: boolean;
  /** The volume's, and the folder of it that is mounted: `/a/b`, or nothing for all of it. */
  readonly name: string;
  readonly below: string;
  /** Absent: what there is. */
  readonly sizeBytes?: number;
}

/** The innermost that a path lies in. */
export function mountOf({ mounts }: Pick<Process, "mounts">, path: string): Mount | undefined {
  const around = mounts.filter((one) => path === one.path || path.startsWith(`${one.path}/`));
  return around.reduce<Mount | undefined>((a, b) => (a && a.path.length > b.path.length ? a : b), undefined);
}

/** Who a process is, and what it finds running. */
export interface Self {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly image: string;
  /** Of its pod. */
  readonly address: string;
  readonly running: readonly Running[];
  /** It may change how the network is set up. */
  readonly isNetworkAdmin: boolean;
  /** Whether the process may mount file systems. */
  readonly isSystemAdmin: boolean;
  /** Programs that are another user's run as that one. */
  readonly mayEscalate: boolean;
}

/** The program beside which another is run, on its files and its ports. */
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
  /** A visitor, a probe or a person made the container print it; the run itself did not. */
  readonly isFromOutside?: true;
}

/** How far a run is followed, shared by its processes. */
export interface Horizon {
  /** The run waits here until it is advanced. */
  untilMs: number;
  /** The moment to which the run is going to be followed, in steps: rounds that are alike are left out up to shortly before it. */
  targetMs: number;
  /** A process that cannot wait there, as one inside WebAssembly, was left at the horizon: what comes next needs the run from its start. */
  isUnwound: boolean;
  /** A process has asked for something that is not its own: a name, a connection, another container's log. */
  hasAsked: boolean;
  /** Interpreters that hold a memory. */
  machines: number;
  /** Pipes that are open, the outer before the inner. */
  readonly pipes: Set<OpenPipe>;
}

/** Rounds of a loop that do not differ: what they print, of which the newest is kept. */
export interface PrintedSeries {
  isOpen: boolean;
  /** The moment at which a round may find something else, as far as the last one was told; Infinity if none is known. */
  newsMs: number;
  chunks: Chunk[];
}

/** What a stage of a pipeline has printed so far, and where it goes if the stage never ends. */
export interface OpenPipe {
  readonly out: (text: string) => void;
  readonly target: (text: string) => void;
  readonly text: string;
}

/** A background job, with processes that it started itself. */
export interface Job {
  readonly process: Process;
  /** When it ended; Infinity while it runs. */
  endMs: number;
  /** Goes on up to the horizon. */
  resume(): void;
  /** When it goes on; Infinity if it never does. */
  nextMs(): number;
}

export function newHorizon(untilMs: number): Horizon {
  return { untilMs, targetMs: untilMs, isUnwound: false, hasAsked: false, machines: 0, pipes: new Set() };
}

export function newSeries(): PrintedSeries {
  return { isOpen: false, newsMs: Number.POSITIVE_INFINITY, chunks: [] };
}

export interface Process {
  clockMs: number;
  /** The process is stopped here, as by a time limit. */
  untilMs: number;
  readonly horizon: Horizon;
  readonly series: PrintedSeries;
  /** What it may still cost. */
  readonly meter: ContainerMeter;
  /** It has come to `untilMs`, to the end of its work or to a horizon at which it cannot wait, or it never ends. */
  paused: boolean;
  /** It never ends. */
  endless: boolean;
  /** Whether the process repeats equal rounds until others change their results. */
  awaitsOthers: boolean;
  /** It never ends, but its files go on changing: they are known up to `clockMs`. */
  restless: boolean;
  /** Rounds of a loop that are alike are left out, unless what they print is wanted. */
  readonly prints: boolean;
  /** Its work is spent. */
  isSpent: boolean;
  /** Grows with every change of files and variables: two rounds of a loop that leave it alike are the same. */
  version: number;
  readonly files: Files;
  readonly edits: Edit[];
  /** Changes from outside, in the order of time; those before `outsideAt` have come. */
  outside: Edit[];
  outsideAt: number;
  /** What it printed, with its background jobs. */
  readonly chunks: Chunk[];
  readonly world: World;
  readonly namespace: string;
  /** What it asked for and was not there: `service/<namespace>/<name>`. */
  readonly waitsFor: Set<string>;
  /** When something it asked for comes to be, if that is known. */
  nextNewsMs: number;
  /** When SIGTERM comes; Infinity if it does not. */
  readonly termMs: number;
  termSeen: boolean;
  /** What runs in the foreground ends itself on SIGTERM. */
  heedsTerm: boolean;
  /** The signal is trapped, and a wait is interrupted by it. */
  trapped: boolean;
  readonly memoryLimit: number | undefined;
  /** Its file systems, the root first; none: everything can be written. */
  readonly mounts: readonly Mount[];
  /** Jobs that it started and has not waited for. */
  readonly jobs: Job[];
  /** Jobs that may still do something, in the order of their start. */
  readonly running: Job[];
  /** Ports that something listens on, since when. */
  readonly ports: Map<number, number>;
  /** The server that answers at its ports; undefined if nothing is known of it. */
  server: Server | undefined;
  /** Ports that its own code listens on. */
  readonly ownPorts: Set<number>;
  /** What its own code answered, by the visit's id. */
  readonly answers: Map<string, VisitAnswer>;
  /** Whose answers the ports give that were there when it started. */
  readonly beside: Beside | undefined;
  /** A program that is not known ends after a while, or serves until it is stopped. */
  readonly unknown: "serves" | "ends";
  /** What was assumed of software that the simulator lacks. */
  readonly assumptions: Assumptions;
  /** Programs that can be found on the path; undefined: all that are not named as absent. */
  readonly programs: ReadonlySet<string> | undefined;
  /** The folders and files of its image are known: what is not there is missing. */
  readonly knowsFiles: boolean;
  /** Random numbers follow from this. */
  seed: number;
  readonly host: string;
  readonly self: Self;
  /** It is the container's own program, and no command beside it. */
  readonly isFirst: boolean;
  /** Without input a shell ends; with a terminal it waits. */
  readonly interactive: boolean;
}

/** Lets time pass for a process that cannot be suspended, and what happens outside with it: at the horizon it is left. */
export function elapse(process: Process, ms: number): void {
  if (process.paused || elapseTo(process, process.clockMs + ms)) return;
  process.paused = true;
  process.horizon.isUnwound = true;
}

/**
 * Lets time pass up to a moment, and what happens outside with it. Returns false if the horizon comes first: the process waits there, to be
 * resumed with the same moment.
 */
export function elapseTo(process: Process, wakeMs: number): boolean {
  if (process.paused) return true;
  let endMs = Math.max(wakeMs, process.clockMs);
  // A wait that a trap interrupts.
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

/** When something changes from outside next; Infinity: it does not. */
export function nextOutsideMs({ outside, outsideAt }: Process): number {
  return outside[outsideAt]?.atMs ?? Number.POSITIVE_INFINITY;
}

/** What running a command costs by itself. */
const commandWork = 1;

/** One more command; false if the process is paused. A script that runs away is left where it is. */
export function step(process: Process): boolean {
  if (process.paused) return false;
  return charge(process, commandWork);
}

/** What an edit takes beside its text. */
const editBytes = 128;

/** Writes or removes a file, now. */
export function edit(process: Process, wanted: Omit<Edit, "atMs">): void {
  if (wanted.path.length > limits.pathBytes) return;
  for (const path of placesOf(process, wanted.path)) editAt(process, { ...wanted, path });
}

/** A volume that is mounted in several places shows a change in all of them. */
function placesOf(process: Process, path: string): string[] {
  const own = process.mounts.length > 1 ? mountOf(process, path) : undefined;
  if (!own || own.name === "") return [path];
  const inside = own.below + path.slice(own.path.length);
  const others = process.mounts.filter((one) => {
    const isThere = one.below === inside || inside.startsWith(`${one.below}/`);
    return one !== own && one.name === own.name && isThere;
  });
  return [path, ...others.map((one) => one.path + inside.slice(one.below.length))];
}

function editAt(process: Process, wanted: Omit<Edit, "atMs">): void {
  const { files, edits, clockMs } = process;
  const before = files.get(wanted.path);
  const made: Edit = { ...(before || wanted.removed ? {} : ownerOf(process, wanted.path)), ...wanted, atMs: clockMs };
  if (wanted.removed ? !files.exists(wanted.path) : before && isSame(process, before, wanted)) return;
  process.version++;
  const last = edits.at(-1);
  // What is written a line at a time is one change.
  const isMore = last?.path === made.path && last.atMs === made.atMs && !last.removed && !made.removed;
  const size = heapBytes(made.text ?? "");
  charge(process, 1 + made.path.length / 64 + size / 1024);
  if (isMore) edits[edits.length - 1] = made.appends ? { ...made, ...appended(last, made) } : made;
  else edits.push(made);
  const more = change(process, made);
  keep(process, Math.max(0, size - more) + editBytes + made.path.length);
}

/** Whose a new file is: the process's own, with the group of a folder that hands its group on. */
function ownerOf({ files, self }: Process, path: string): Pick<Edit, "uid" | "gid"> {
  const folder = files.get(path.slice(0, path.lastIndexOf("/")) || "/");
  const gid = (folder?.mode ?? 0) & setgid ? (folder?.gid ?? 0) : self.gid;
  return { ...(self.uid === 0 ? {} : { uid: self.uid }), ...(gid === 0 ? {} : { gid }) };
}

const setgid = 0o2000;

function appended(last: Edit, { text = "" }: Edit): Pick<Edit, "text" | "appends"> {
  return { text: (last.text ?? "") + text, appends: last.appends ?? false };
}

function isSame(process: Process, before: NonNullable<ReturnType<Files["get"]>>, wanted: Omit<Edit, "atMs">): boolean {
  if ((wanted.mode ?? before.mode) !== before.mode) return false;
  if ((wanted.uid ?? before.uid) !== before.uid || (wanted.gid ?? before.gid) !== before.gid) return false;
  if (wanted.appends) return wanted.text === "" && before.text !== undefined;
  if (before.text?.length !== wanted.text?.length) return false;
  scan(process, wanted.text ?? "");
  return before.text === wanted.text;
}

/** What was replaced is kept to the end of the run, so that every moment of it can be looked at. */
function keep(process: Process, bytes: number): void {
  process.meter.history += bytes;
  if (process.meter.history <= limits.containerHistoryBytes) return;
  process.paused = true;
  throw new Stopped("spent");
}

/** Returns what its files take more than before. */
function change(process: Process, made: Edit): number {
  const { files } = process;
  const before = files.bytes;
  applyEdit(files, made);
  const more = files.bytes - before;
  hold(process, more);
  return more;
}

/** Since when a name of the cluster is there; what is not there yet is waited for. */
export function serviceAt(process: Process, namespace: string, name: string): ServiceView | undefined {
  const { world, clockMs } = process;
  const found = world.service(namespace, name, clockMs);
  process.nextNewsMs = Math.min(process.nextNewsMs, world.nextWriteMs?.(clockMs) ?? Number.POSITIVE_INFINITY);
  if (!found) {
    process.waitsFor.add(`service/${namespace}/${name}`);
    return undefined;
  }
  if (found.sinceMs <= process.clockMs) return found;
  process.nextNewsMs = Math.min(process.nextNewsMs, found.sinceMs);
  return undefined;
}

/** Notes what would change an answer. Of a success only its own time: a program that waits for others repeats a call that failed. */
export function heed(process: Process, reached: Reached): void {
  const { newsMs, changesData = false, waitsFor, through, onward = [], answer } = reached;
  // A round that changes data leaves the world another one.
  if (changesData) process.version++;
  if (newsMs !== undefined && newsMs > process.clockMs) process.nextNewsMs = Math.min(process.nextNewsMs, newsMs);
  if (waitsFor !== undefined) process.waitsFor.add(waitsFor);
  if (answer === undefined || answer.status < 400) return;
  for (const key of [through, ...onward]) if (key !== undefined) process.waitsFor.add(key);
}
