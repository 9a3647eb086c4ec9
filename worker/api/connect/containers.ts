// The interface to the containers of the cluster: their output, commands in them, and their ports.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PortAnswer, PortRequest } from "../../../shared/k8s/port-request.ts";

/**
 * The container runtime. Calls may have to wait for other simulations. A container that crashed the cluster's process is refused with 503.
 */
export interface Containers {
  /** Returns the output of the current or the previous run of a container; undefined if there is no such run. */
  printed(pod: Pod, container: string, read: LogRead): Promise<Printed | undefined>;
  /**
   * Opens a socket that notifies a follower of new output with any message. Returns the 101 response. Undefined if there are no sockets.
   */
  readonly news?: ((pod: Pod, container: string) => Response) | undefined;
  /** Runs a command in a container up to the current time. Undefined if the container does not run. */
  execute(pod: Pod, container: string, command: Command): Promise<Executed | { readonly missing: string } | undefined>;
  /** Sends input to the container's main process, starting at `startMs`. */
  type(pod: Pod, container: string, startMs: number, input: Pick<TypedInput, "typed" | "hasEnded">): void;
  /** Returns the output of the container's main process; undefined if it never ran. */
  attach(pod: Pod, container: string, attached: Attached): Promise<Executed | undefined>;
  /** Sends a request to a port of a pod. Undefined if nothing listens there. */
  answer(pod: Pod, port: number, request: PortRequest): Promise<PortAnswer | undefined>;
  /**
   * Returns the address (`host:port`) of the kubelet of a node on a user's machine; undefined if the node is simulated. Throws NotFound if
   * the node does not exist.
   */
  realKubelet(node: string): string | undefined;
  /** Returns the response of a node's kubelet to a GET. */
  kubelet(node: string, path: string): PortAnswer;
  /** Returns a pod that stands for the processes of a simulated node, whose container started at a time. Throws NotFound. */
  onNode(node: string, startMs: number): { readonly pod: Pod; readonly container: string };
  /** Returns the text of a file on a simulated node; undefined if there is no such file. */
  fileOnNode(node: string, path: string): string | undefined;
  /** Stores the changes of a command, if the pod still exists. Later reads of the container see them. */
  keep(pod: Pod, container: string, changes: Executed["changes"]): void;
}

export interface LogRead {
  readonly previous: boolean;
  /** Whether the reader follows the output and must be notified of more. */
  readonly follows: boolean;
}

export interface PrintedLine {
  readonly atMs: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** Whether this is the last line and has no newline. */
  readonly isOpen?: boolean;
}

export interface Printed {
  /** The lines in the order of time, shared by all readers. Those after the first `count` are in the future. */
  readonly lines: readonly PrintedLine[];
  readonly count: number;
  readonly hasEnded: boolean;
  /** The time of more output, or of the next poll, if known. */
  readonly nextOutputMs?: number;
}

export interface Command {
  readonly words: readonly string[];
  readonly startMs: number;
  readonly untilMs: number;
  readonly input: TypedInput;
}

export interface Attached {
  readonly startMs: number;
  readonly nowMs: number;
}

/** The input and its times. */
export interface TypedInput {
  readonly typed: readonly { readonly atMs: number; readonly text: string }[];
  /** Whether the input has ended. */
  readonly hasEnded: boolean;
  /** Whether the session has a terminal, and so prompts. */
  readonly isTerminal: boolean;
}

export interface Executed {
  readonly chunks: readonly { readonly atMs: number; readonly stream: "stdout" | "stderr"; readonly text: string }[];
  /** Undefined while the command runs. */
  readonly end: { readonly atMs: number; readonly exitCode: number } | undefined;
  /** The time of the next change, if known. */
  readonly nextChangeMs?: number;
  /** The changes of files, in the form that `keep` takes. */
  readonly changes: readonly { readonly atMs: number; readonly path: string }[];
}
