// The interface between a kubelet and its node's container runtime, with the names of Kubernetes' Container Runtime Interface (k8s.io/cri-api,
// `RuntimeService` and `ImageService`). It has types only. The kubelet imports nothing else of this room.
//
// A runtime keeps no record of sandboxes and containers: its answers follow from the stored pod and from the containers' statuses. So a call
// names the pod instead of an id, and can plan as well as act. An answer says until when it holds. Its `Effect`s are the changes in
// containers, which the kubelet records when it acts on the answer.
import type {
  Container,
  ContainerStatus as ApiContainerStatus,
  ContainerUser,
  Node,
  Pod,
} from "../../shared/k8s/api/core-v1.ts";
import type { Series } from "../../shared/k8s/cron/recurring.ts";
import type { Client } from "../registry/client.ts";
import type { Assumption } from "./shell/assumption.ts";
import type { Edit } from "./shell/files.ts";
import type { Typed } from "./shell/input.ts";
import type { Chunk } from "./shell/process.ts";

export type { Assumption } from "./shell/assumption.ts";
export type { Edit } from "./shell/files.ts";

/** A change of files that a call made in a container. The kubelet records it without reading it. */
export interface Effect {
  readonly pod: Pod;
  readonly container: string;
  readonly edits: readonly Edit[];
}

/** A container of a pod, with its status. */
export interface ContainerConfig {
  readonly spec: Container;
  readonly status: ApiContainerStatus;
}

/** A pod as its kubelet runs it. */
export interface PodSandboxConfig {
  readonly pod: Pod;
  readonly containers: readonly ContainerConfig[];
  /** The time of the call. A container whose start is missing in the pod's status is started at this time. */
  readonly nowMs: number;
  /** Statuses of containers as if each were alone, kept during one sync of the pod. */
  readonly alone: Map<string, ContainerStatus>;
}

export type RunPodSandboxResponse =
  /** `ip`: undefined for a pod on the network of its node. */
  { readonly ip: string | undefined; readonly error?: undefined } | { readonly error: string };

export type CreateContainerResponse =
  | { readonly containerId: string; readonly error?: undefined }
  /** The configuration that the kubelet requests cannot be created. `isRefused`: the runtime refuses to create the container. */
  | { readonly error: string; readonly isRefused?: boolean };

/** The course of a container's program. The runtime recognizes the object when it receives it again. */
export interface ContainerStatus {
  /** Undefined while the program runs. */
  readonly end: { readonly atMs: number; readonly exitCode: number; readonly oom: boolean } | undefined;
  /** Whether the program never ends by itself. */
  readonly endless: boolean;
  /** The status holds before this time; Infinity if it does not change any more. */
  readonly knownMs: number;
  /** Whether the program does too much to be followed further. Another call returns the same. */
  readonly isSpent: boolean;
  /** The software that was assumed to exist because the simulator lacks it. */
  readonly assumed: readonly Assumption[];
  /** Whether the program or a part of it is only assumed to exist, so that a failed call says nothing about it. */
  readonly isAssumed: boolean;
  /** The objects whose changes let the program continue: `configmap/<namespace>/<name>`. */
  readonly waitsFor: ReadonlySet<string>;
  /** Whether the program has read something outside its container, or its own server answers others. Its course then depends on the rest of the cluster. */
  readonly asksOthers: boolean;
  /** Whether the program repeats the same steps until another object changes. */
  readonly awaitsOthers: boolean;
}

export interface ContainerStatusRequest {
  /** The program is followed at least to this time, if its end is not known before. */
  readonly untilMs: number;
  /** The start, if the container's status does not have it yet. */
  readonly startMs?: number;
}

export interface ContainerStatusResponse {
  readonly status: ContainerStatus;
}

export interface StopContainerRequest {
  /** The time of the stop signal. */
  readonly atMs: number;
  /** The time from the stop signal to SIGKILL. */
  readonly timeoutMs: number;
}

export interface StopContainerResponse extends ContainerStatusResponse {
  /** The end of the container: by itself, by the signal, or by SIGKILL. */
  readonly end: { readonly atMs: number; readonly exitCode: number; readonly oom: boolean };
}

/** A running container, and the containers that run beside it in the pod and share its network. */
export interface RunningContainer {
  readonly pod: Pod;
  readonly podIp: string;
  readonly container: Container;
  readonly run: ContainerStatus;
  readonly beside: readonly Beside[];
}

export interface Beside {
  readonly container: Container;
  readonly run: ContainerStatus;
}

/** A call whose answer is expected within a time. */
export interface CallRequest {
  readonly atMs: number;
  readonly timeoutMs: number;
  /** If true, the answer has `effects` and the call counts as made. If false, the call is one of a series and the answer has `wrote`. */
  readonly isRecorded: boolean;
  /** The units of work that commands may use. */
  readonly work?: number | undefined;
}

export interface CallResponse {
  readonly tookMs: number;
  /** The answer stays the same before this time. */
  readonly untilMs: number;
  /** The objects whose changes can change the answer: `service/<namespace>/<name>`. */
  readonly waitsFor?: readonly string[];
  /** The units of work that computing the answer took. */
  readonly work?: number;
  /** The lines that the call adds to servers' logs, in order. */
  readonly wrote?: readonly Wrote[];
  readonly effects: readonly Effect[];
  /** The software that was assumed to exist because the simulator lacks it. */
  readonly assumed?: readonly Assumption[];
}

/** A line that a call adds to a server's log, depending on the time; or the call as an input of a program's own server. */
export type Wrote = { readonly container: string } & (
  | { readonly stream: Chunk["stream"]; readonly textAt: (atMs: number) => string }
  | { readonly editAt: (atMs: number) => Edit }
);

export interface ExecSyncRequest extends CallRequest {
  readonly command: readonly string[];
}

export type ExecSyncResponse = CallResponse &
  (
    | { readonly exitCode: number; readonly output: string; readonly error?: undefined }
    /** The command could not be started. */
    | { readonly error: string }
    /** The command did not end in time. */
    | { readonly exitCode?: undefined; readonly error?: undefined }
  );

export interface HttpRequest extends CallRequest {
  readonly host: string;
  readonly port: number;
  readonly scheme: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
}

export type HttpResponse = CallResponse &
  (
    | {
        /** The status code; 0 if the server closed the connection without an answer. */
        readonly status: number;
        readonly location?: string | undefined;
        readonly error?: undefined;
      }
    | { readonly error: string }
  );

/** A change of the disk space that a pod uses on its node. */
export interface ContainerStats {
  readonly atMs: number;
  /** The place whose usage changed. */
  readonly place: { readonly container: string } | { readonly volume: string };
  /** The bytes in use there from that time on. */
  readonly usedBytes: number;
}

/** The kind of file at a path of a node. */
export interface HostFile {
  readonly exists: boolean;
  readonly isDirectory: boolean;
  readonly isSocket: boolean;
  readonly isCharDevice: boolean;
  readonly isBlockDevice: boolean;
}

/** The duration of calls in milliseconds. A kubelet plans with it before it calls. */
export interface RuntimeLatency {
  runPodSandbox(pod: Pod): number;
  startContainer(pod: Pod, container: Container): number;
  updateContainerResources(pod: Pod, generation: number): number;
}

export interface RuntimeService {
  /** Gives the pod an address. */
  runPodSandbox(pod: Pod): RunPodSandboxResponse;
  /** Removes the pod's sandbox after its containers have ended. */
  stopPodSandbox(pod: Pod): { readonly tookMs: number };
  /** Returns the addresses of other families that belong to an address. */
  podSandboxStatus(ip: string): { readonly additionalIps: readonly string[] };
  createContainer(pod: Pod, container: Container, attempt: number): CreateContainerResponse;
  startContainer(pod: Pod, container: Container): { readonly error?: string | undefined };
  /** Returns the status of a container; undefined if it was never started. */
  containerStatus(
    sandbox: PodSandboxConfig,
    container: ContainerConfig,
    request: ContainerStatusRequest,
  ): ContainerStatusResponse | undefined;
  stopContainer(
    sandbox: PodSandboxConfig,
    container: ContainerConfig,
    request: StopContainerRequest,
  ): StopContainerResponse | undefined;
  execSync(container: RunningContainer, request: ExecSyncRequest): ExecSyncResponse;
  /** Returns the course of the containers' disk usage, in the order of time. */
  listContainerStats(pod: Pod, containers: readonly Beside[]): readonly ContainerStats[];
  /** Returns the user of a container's first process. */
  containerUser(pod: Pod, container: Container): ContainerUser;

  readonly latency: RuntimeLatency;
  readonly network: PodNetwork;
  readonly disk: NodeDisk;
}

/** The network of a node, through which its kubelet reaches pods. */
export interface PodNetwork {
  httpGet(container: RunningContainer, request: HttpRequest): HttpResponse;
  /** Opens a connection to a port of the pod. */
  connect(
    container: RunningContainer,
    port: number,
    atMs: number,
  ): { readonly isOpen: boolean; readonly untilMs: number };
}

/** The disk of a node, which its kubelet shares with the runtime. */
export interface NodeDisk {
  /** Returns a reader of the node's files as they are now. */
  hostFiles(pod: Pod): (path: string) => HostFile;
  /** Creates the missing folders and files of `hostPath` volumes. */
  makeHostPaths(pod: Pod, atMs: number): readonly Effect[];
  /** Returns the text that a container's program wrote to a file; empty if it wrote none. */
  readFile(run: ContainerStatus, path: string, atMs: number): string;
  readLog(run: ContainerStatus, atMs: number): string;
  /** Returns what a program wrote to volumes that outlive its pod. */
  volumeChanges(
    sandbox: PodSandboxConfig,
    container: ContainerConfig,
    run: ContainerStatus,
    startMs: number,
    untilMs: number,
  ): readonly Effect[];
}

export interface Image {
  /** The reference with registry and tag: `docker.io/library/busybox:latest`. */
  readonly name: string;
  readonly tag: string | undefined;
  /** `docker.io/library/busybox@sha256:...` */
  readonly id: string;
  readonly sizeBytes: number;
  /** The user of the image: a number, a name, or neither if it is not known. */
  readonly uid: number | undefined;
  readonly username: string;
}

export interface ImageService {
  /** Returns the image, whether the node has it or not; `error` if the text is not a valid reference. */
  imageStatus(image: string): Image | { readonly error: string };
  /** Returns the time since which the node has the image; undefined if it has not. */
  presentSince(image: Image): number | undefined;
  /** Pulls the image from the registry. */
  pullImage(
    image: Image,
    pod: Pod,
    container: Container,
    atMs: number,
  ): { readonly error?: string | undefined; readonly tookMs: number };
  /** Records that the image was pulled. */
  keepImage(image: Image, sinceMs: number): void;
}

export interface NodeServices {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/** The state of a node's runtime between reconciles. If it is lost, it is derived from the node and its pods. */
export interface NodeMemory {
  /** Identifies the node, because it may be deleted and created again under the same name. */
  readonly uid: string;
  /** The addresses in use, as numbers. */
  readonly taken: Set<number>;
  /** The next address. Addresses are allocated in a ring, as the runtime's IPAM does. */
  next: number;
  /** The times since when images are present, by complete reference. */
  readonly images: Map<string, number>;
}

/** The states of a cluster's nodes, by name. */
export type NodeMemories = Map<string, NodeMemory>;

/** The container runtimes of a cluster's nodes. */
export interface ContainerRuntimes {
  /** Returns a function that opens a node's runtime. `memories` has what the runtimes remember of the nodes. */
  open(memories: NodeMemories): (client: Client, node: Node, report?: (error: unknown) => void) => NodeServices;
}

/** The lines that a server writes for a probe, at each time of a series. */
export interface ProbeLines extends Series {
  readonly stream: Chunk["stream"];
  textAt(atMs: number): string;
}

/** Requests of a probe to a program's own server. */
export interface ProbeVisits extends Series {
  editAt(atMs: number): Edit;
}

/** The effects of a kubelet's probes on a container's log. */
export interface Probed {
  readonly lines: readonly ProbeLines[];
  readonly visits: readonly ProbeVisits[];
  /** The effects of probes after this time are not known; Infinity if all are. */
  readonly knownMs: number;
}

/** The period of a run: from its start to its end, or to the time up to which it is needed. */
export interface Span {
  readonly startMs: number;
  readonly untilMs: number;
}

/** A run of a container. `startMs`: the start in its status. */
export interface ContainerRun {
  readonly container: string;
  readonly startMs: number;
}

/** Records the output and effects of runs that send requests to other pods. */
export interface ContainerTimeline {
  /** Adds a run; a run that was added before is not changed. */
  add(pod: Pod, run: ContainerRun): void;
  /** Advances the runs of a pod to now, and ended runs to their ends. Called before the ends are written. */
  advancePod(pod: Pod, ends: readonly (ContainerRun & { readonly endMs: number })[]): void;
  /** Returns a number that changes whenever another object may have changed the course of the pod's programs. */
  version(pod: Pod): number;
  /**
   * Returns the time after which other objects may have changed the results of the programs' last requests; Infinity if nothing changes them.
   * Valid after the pod was advanced.
   */
  nextChangeMs(pod: Pod): number;
}

export interface RecordedLog {
  /** The time up to which the log is recorded. */
  readonly untilMs: number;
  /** The output of the run itself, in the order of time. */
  readonly chunks: readonly Chunk[];
}

export interface PersonalEdits {
  of(pod: Pod, container: string): readonly Edit[];
  /** Returns the recorded log of a run; undefined if nothing was recorded. */
  recordedLog?(pod: Pod, container: string, startMs: number): RecordedLog | undefined;
  /** Returns the input that was typed to the container's main program; undefined if there was none. */
  typed(pod: Pod, container: string): Pick<Typed, "typed" | "hasEnded"> | undefined;
  /** Returns a number that changes whenever something was changed in the pod. */
  version(pod: Pod): number;
}

/** A static pod's manifest on a node. */
export interface NodeManifest {
  readonly path: string;
  readonly text: string;
}

/** The services and manifests of a node's machine, as its users left them. */
export interface NodeMachine {
  /** Whether the kubelet runs and reaches the API server. */
  readonly isKubeletWorking: boolean;
  readonly isRuntimeRunning: boolean;
  /** The release of the kubelet that was started from an installed package; undefined if it is that of the node. */
  readonly kubeletVersion: string | undefined;
  /** The files of the kubelet's folder of static pods; undefined if they are those of the installation. */
  readonly manifests: readonly NodeManifest[] | undefined;
  /** When the services change by themselves; Infinity if they do not. */
  readonly untilMs: number;
}

export interface NodeMachines {
  of(client: Client, node: Node, nowMs: number): NodeMachine;
}

export interface KeptEdits extends PersonalEdits {
  /** Adds the edits that are not stored yet. Returns whether there were any. */
  keep(pod: Pod, container: string, edits: readonly Edit[]): boolean;
  /** Returns a number that changes with the files of a node. */
  nodeVersion(node: string): number;
  hasNodeEdits(node: string): boolean;
}
