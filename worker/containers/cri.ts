// The interface between a kubelet and its node's container runtime, with the names of Kubernetes' Container Runtime Interface (k8s.io/cri-api,
// `RuntimeService` and `ImageService`). It has types only. The kubelet imports nothing else of this room.
//
// A runtime keeps no record of sandboxes and containers: what it answers follows from the pod as it is stored, and from the containers'
// statuses. So a call names the pod instead of an id, and it can be made to plan as well as to act. An answer says until when it holds, and
// `Effect`s tell what the call did to containers: the kubelet records them when it acts on the answer.
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

/** A change of files that a call made in a container. The kubelet records it and does not read it. */
export interface Effect {
  readonly pod: Pod;
  readonly container: string;
  readonly edits: readonly Edit[];
}

/** A container of a pod, with the status that its kubelet tells of it. */
export interface ContainerConfig {
  readonly spec: Container;
  readonly status: ApiContainerStatus;
}

/** A pod as its kubelet runs it. */
export interface PodSandboxConfig {
  readonly pod: Pod;
  readonly containers: readonly ContainerConfig[];
  /** The moment of the call. A container whose start the pod's status does not tell is started now. */
  readonly nowMs: number;
  /** Statuses that the runtime keeps as long as the kubelet looks at the pod. */
  readonly alone: Map<string, ContainerStatus>;
}

export type RunPodSandboxResponse =
  /** `ip`: undefined for a pod on the network of its node. */
  { readonly ip: string | undefined; readonly error?: undefined } | { readonly error: string };

export type CreateContainerResponse =
  | { readonly containerId: string; readonly error?: undefined }
  /** The configuration that the kubelet asks for cannot be made. */
  | { readonly error: string };

/** The course of a container's program. The runtime recognizes the object when it is handed back. */
export interface ContainerStatus {
  /** Undefined while the program runs. */
  readonly end: { readonly atMs: number; readonly exitCode: number; readonly oom: boolean } | undefined;
  /** The program never ends by itself. */
  readonly endless: boolean;
  /** The status holds before this moment; Infinity if it does not change any more. */
  readonly knownMs: number;
  /** The program does too much to be followed: asking again tells no more. */
  readonly isSpent: boolean;
  /** What was assumed of software that the simulator lacks. */
  readonly assumed: readonly Assumption[];
  /** The program, or a part of it, is only assumed: a call that fails says nothing about it. */
  readonly isAssumed: boolean;
  /** Objects whose change lets the program go on: `configmap/<namespace>/<name>`. */
  readonly waitsFor: ReadonlySet<string>;
  /** Whether the program has asked for something that is not its own, or its own server answers others: its course depends on the rest of the cluster. */
  readonly asksOthers: boolean;
  /** The program repeats the same steps until others change what it finds. */
  readonly awaitsOthers: boolean;
}

export interface ContainerStatusRequest {
  /** The program is followed to this moment at least, if its end is not known before. */
  readonly untilMs: number;
  /** The start, where the container's status does not tell it yet. */
  readonly startMs?: number;
}

export interface ContainerStatusResponse {
  readonly status: ContainerStatus;
}

export interface StopContainerRequest {
  /** The moment of the stop signal. */
  readonly atMs: number;
  /** The container is killed after this. */
  readonly timeoutMs: number;
}

export interface StopContainerResponse extends ContainerStatusResponse {
  /** The end of the container, by itself, by the signal, or killed. */
  readonly end: { readonly atMs: number; readonly exitCode: number; readonly oom: boolean };
}

/** A running container, and those that run beside it in the pod: they share its network. */
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

/** A call of which answers are expected within a time. */
export interface CallRequest {
  readonly atMs: number;
  readonly timeoutMs: number;
  /** Answers have `effects`, and the call counts as made. Otherwise it is one that is made again and again, and answers have `wrote`. */
  readonly isRecorded: boolean;
  /** Units of work that commands may cost for it. */
  readonly work?: number | undefined;
}

export interface CallResponse {
  readonly tookMs: number;
  /** The answer is the same before this moment. */
  readonly untilMs: number;
  /** Objects whose change makes the answer another: `service/<namespace>/<name>`. */
  readonly waitsFor?: readonly string[];
  /** Units of work that finding the answer took. */
  readonly work?: number;
  /** The lines that servers' logs have of the call, in the order in which they were written. */
  readonly wrote?: readonly Wrote[];
  readonly effects: readonly Effect[];
  /** What was assumed of software that the simulator lacks. */
  readonly assumed?: readonly Assumption[];
}

/** A line of a server's log about a call, at any moment of the call; or the call as an input of a program's own server. */
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
        /** 0: the server closed the connection without an answer. */
        readonly status: number;
        readonly location?: string | undefined;
        readonly error?: undefined;
      }
    | { readonly error: string }
  );

/** A point in the course of what is stored on the node's disk for a pod. */
export interface ContainerStats {
  readonly atMs: number;
  /** The place that has changed. */
  readonly place: { readonly container: string } | { readonly volume: string };
  /** Bytes in use there from that moment on. */
  readonly usedBytes: number;
}

/** What stands at a path of a node. */
export interface HostFile {
  readonly exists: boolean;
  readonly isDirectory: boolean;
  readonly isSocket: boolean;
  readonly isCharDevice: boolean;
  readonly isBlockDevice: boolean;
}

/** How long calls take, in milliseconds. A kubelet plans with it before it calls. */
export interface RuntimeLatency {
  runPodSandbox(pod: Pod): number;
  startContainer(pod: Pod, container: Container): number;
  updateContainerResources(pod: Pod, generation: number): number;
}

export interface RuntimeService {
  /** Gives the pod an address. */
  runPodSandbox(pod: Pod): RunPodSandboxResponse;
  /** Takes down what the pod has beside its containers, which have ended. */
  stopPodSandbox(pod: Pod): { readonly tookMs: number };
  /** The addresses of other families that go with one. */
  podSandboxStatus(ip: string): { readonly additionalIps: readonly string[] };
  createContainer(pod: Pod, container: Container, attempt: number): CreateContainerResponse;
  startContainer(pod: Pod, container: Container): { readonly error?: string | undefined };
  /** Undefined if the container was never started. */
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
  /** The course of what containers use of the node's disk, in the order of time. */
  listContainerStats(pod: Pod, containers: readonly Beside[]): readonly ContainerStats[];
  /** The user that a container's first process has. */
  containerUser(pod: Pod, container: Container): ContainerUser;

  readonly latency: RuntimeLatency;
  readonly network: PodNetwork;
  readonly disk: NodeDisk;
}

/** The network of a node, on which its kubelet reaches pods. */
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
  /** Makes the folders and files of `hostPath` volumes that are not there. */
  makeHostPaths(pod: Pod, atMs: number): readonly Effect[];
  /** The text that a container's program wrote to a file; empty if it wrote none. */
  readFile(run: ContainerStatus, path: string, atMs: number): string;
  readLog(run: ContainerStatus, atMs: number): string;
  /** What a program wrote to volumes that outlive its pod. */
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
  /** The user of the image: a number, or a name, or neither if nothing is known of it. */
  readonly uid: number | undefined;
  readonly username: string;
}

export interface ImageService {
  /** The image, whether the node has it or not; `error` if that is no reference of an image. */
  imageStatus(image: string): Image | { readonly error: string };
  /** The moment since which the node has the image; undefined if it has not. */
  presentSince(image: Image): number | undefined;
  /** Asks the registry for the image. */
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

/** The container runtimes of a cluster's nodes. */
export interface ContainerRuntimes {
  /** Returns a way to a node's runtime. The runtimes remember addresses and images of the nodes, which follow from what is stored. */
  open(): (client: Client, node: Node, report?: (error: unknown) => void) => NodeServices;
}

/** Lines that a server writes of a probe, at each moment of a series. */
export interface ProbeLines extends Series {
  readonly stream: Chunk["stream"];
  textAt(atMs: number): string;
}

/** Visits of a program's own server by a probe. */
export interface ProbeVisits extends Series {
  editAt(atMs: number): Edit;
}

/** The traces of a kubelet's probes in a container's log. */
export interface Probed {
  readonly lines: readonly ProbeLines[];
  readonly visits: readonly ProbeVisits[];
  /** The findings of the probes after this moment are not known; Infinity if all are. */
  readonly knownMs: number;
}

/** One run of a container: from its start to its end, or as far as it is looked at. */
export interface Span {
  readonly startMs: number;
  readonly untilMs: number;
}

/** What people, and programs of other containers, did in containers. */
/** A run of a container. `startMs`: the start that its status tells. */
export interface ContainerRun {
  readonly container: string;
  readonly startMs: number;
}

/** Records what runs that ask others of the cluster print and do. */
export interface ContainerTimeline {
  /** Adds a run; one that was added before stays as it is. */
  add(pod: Pod, run: ContainerRun): void;
  /** Brings the runs of a pod up to now, and those that ended up to their ends. Called before the ends are written. */
  advancePod(pod: Pod, ends: readonly (ContainerRun & { readonly endMs: number })[]): void;
  /** Another number whenever what others did may change the course of the pod's programs. */
  version(pod: Pod): number;
  /**
   * Returns the moment after which others may have changed what the pod's programs found when they asked last; Infinity if nobody changes it. It is
   * known once the pod was advanced.
   */
  nextChangeMs(pod: Pod): number;
}

export interface RecordedLog {
  /** The moment up to which the log is recorded. */
  readonly untilMs: number;
  /** What the run itself printed, in the order of time. */
  readonly chunks: readonly Chunk[];
}

export interface PersonalEdits {
  of(pod: Pod, container: string): readonly Edit[];
  /** Returns what was recorded of the log of a run; undefined if nothing was. */
  recordedLog?(pod: Pod, container: string, startMs: number): RecordedLog | undefined;
  /** What was typed to the container's own program; undefined if nobody ever did. */
  typed(pod: Pod, container: string): Pick<Typed, "typed" | "hasEnded"> | undefined;
  /** Another number whenever something was changed in the pod. */
  version(pod: Pod): number;
}

export interface KeptEdits extends PersonalEdits {
  /** Adds what is not there yet; whether there was something. */
  keep(pod: Pod, container: string, edits: readonly Edit[]): boolean;
}
