// The options of a command's session: the client's protocol and streams, and the connection to the cluster.
import type { SessionOpened, SessionStep, SessionStepped } from "../../../shared/contract/cluster-object.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";
import type { Protocol } from "./channels.ts";

export interface SessionOptions {
  readonly protocol: Protocol;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  /** The cluster's answer: the start time, and the output that must not be sent again. */
  readonly opened: SessionOpened;
  readonly nowMs: () => number;
  /** Returns undefined if the cluster no longer answers. */
  ask(step: SessionStep): Promise<SessionStepped | { readonly refused: ApiError } | undefined>;
}
