// What the API asks of the containers that run in the cluster: what they have printed, what a command does in them, what they serve.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PortAnswer, PortRequest } from "../../shared/k8s/port-request.ts";

export interface Containers {
  /** The present run of a container, or the one before it; undefined if there is none. */
  printed(pod: Pod, container: string, previous: boolean): Printed | undefined;
  /** A command in a container, as far as it has come; undefined if the container does not run. */
  execute(pod: Pod, container: string, command: Command): Executed | { readonly missing: string } | undefined;
  /** What the container's own program prints, with what is typed to it; undefined if it never ran. */
  attach(pod: Pod, container: string, attached: Attached): Executed | undefined;
  /** What a pod answers at one of its ports; undefined if nothing listens there. */
  answer(pod: Pod, port: number, request: PortRequest): PortAnswer | undefined;
  /** Keeps what a command changed: whoever looks into the container from now on finds it. */
  keep(pod: Pod, container: string, changes: Executed["changes"]): void;
}

export interface PrintedLine {
  readonly atMs: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** It is the last, and has no end. */
  readonly isOpen?: boolean;
}

export interface Printed {
  readonly lines: readonly PrintedLine[];
  readonly hasEnded: boolean;
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
  readonly untilMs: number;
  /** Absent: nothing is typed. */
  readonly input: Pick<TypedInput, "typed" | "hasEnded"> | undefined;
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
