// What a session of a command is about: the client's protocol and streams, and the way to the cluster.
import type { SessionOpened, SessionStep, SessionStepped } from "../../../shared/contract/cluster-object.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";
import type { Protocol } from "./channels.ts";

export interface SessionOptions {
  readonly protocol: Protocol;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  /** When it began, and how much of the output the client is not to be told, both as the cluster says. */
  readonly opened: SessionOpened;
  readonly nowMs: () => number;
  /** Undefined if the cluster cannot say any more. */
  ask(step: SessionStep): Promise<SessionStepped | { readonly refused: ApiError } | undefined>;
}
