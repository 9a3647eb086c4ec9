// What the API asks of the containers that run in the cluster: what they have printed, what a command does in them, what they serve.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PortAnswer, PortRequest } from "../../../shared/k8s/port-request.ts";

/** What has to be worked out may have to wait for others; a container that killed the cluster's process before is refused with 503. */
export interface Containers {
  /** The present run of a container, or the one before it; undefined if there is none. */
  printed(pod: Pod, container: string, read: LogRead): Promise<Printed | undefined>;
  /** A socket on which a follower is told to ask again, with anything at all. Returns the 101 answer; absent where there are none. */
  readonly news?: ((pod: Pod, container: string) => Response) | undefined;
  /** A command in a container, as far as it has come; undefined if the container does not run. */
  execute(pod: Pod, container: string, command: Command): Promise<Executed | { readonly missing: string } | undefined>;
  /** What is typed to the container's own program from `startMs` on. */
  type(pod: Pod, container: string, startMs: number, input: Pick<TypedInput, "typed" | "hasEnded">): void;
  /** What the container's own program prints; undefined if it never ran. */
  attach(pod: Pod, container: string, attached: Attached): Promise<Executed | undefined>;
  /** What a pod answers at one of its ports; undefined if nothing listens there. */
  answer(pod: Pod, port: number, request: PortRequest): Promise<PortAnswer | undefined>;
  /**
   * Returns the address (`host:port`) of a node's kubelet if it is not simulated; undefined if it is. Throws NotFound if the node does
   * not exist.
   */
  realKubelet(node: string): string | undefined;
  /** What a node's kubelet answers to a GET of a path. */
  kubelet(node: string, path: string): PortAnswer;
  /** Keeps what a command changed, if the pod is still there: whoever looks into the container from now on finds it. */
  keep(pod: Pod, container: string, changes: Executed["changes"]): void;
}

export interface LogRead {
  readonly previous: boolean;
  /** Who reads waits for more: it is to be known when there is some. */
  readonly follows: boolean;
}

export interface PrintedLine {
  readonly atMs: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** It is the last, and has no end. */
  readonly isOpen?: boolean;
}

export interface Printed {
  /** Shared by all readers, in the order of time; those after the first `count` are yet to come. */
  readonly lines: readonly PrintedLine[];
  readonly count: number;
  readonly hasEnded: boolean;
  /** When there is more, or it must be asked again, if that is known. */
  readonly newsMs?: number;
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

/** What was typed, and when. */
export interface TypedInput {
  readonly typed: readonly { readonly atMs: number; readonly text: string }[];
  /** Nothing more will come. */
  readonly hasEnded: boolean;
  /** A terminal: there are prompts. */
  readonly isTerminal: boolean;
}

export interface Executed {
  readonly chunks: readonly { readonly atMs: number; readonly stream: "stdout" | "stderr"; readonly text: string }[];
  /** Absent while it runs. */
  readonly end: { readonly atMs: number; readonly exitCode: number } | undefined;
  /** When there is more to be learned, if that is known. */
  readonly newsMs?: number;
  /** Of files, in the form in which `keep` takes them. */
  readonly changes: readonly { readonly atMs: number; readonly path: string }[];
}
