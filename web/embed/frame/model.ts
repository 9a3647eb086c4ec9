// The shared state of a frame: settings, visitor, sandbox, and the operations on them.
import type { ReadonlySignal } from "@preact/signals";
import type { ErrorBody } from "../../../shared/contract/error.ts";
import type { Run } from "../../../shared/contract/lesson.ts";
import type { ClusterAccess } from "../../api/cluster.ts";
import type { ClusterState } from "../../live/cluster-state.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { PageLink } from "./page-link.ts";
import type { Session } from "./session.ts";
import type { Settings } from "./settings.ts";
import type { Words } from "../../messages/embed.ts";

export interface Opened {
  readonly is: "open";
  readonly session: Session;
  readonly access: ClusterAccess;
  /** The state of the cluster while the frame is open. Absent if no pane shows it and no page listens. */
  readonly cluster: ClusterState | undefined;
}

export type Refused = ErrorBody["error"] & { readonly is: "refused"; readonly status: number };

export type Phase = { readonly is: "opening" } | Opened | Refused | { readonly is: "expired" };

export interface FrameState {
  readonly settings: Settings;
  readonly link: PageLink;
  readonly words: ReadonlySignal<Words>;
  readonly phase: ReadonlySignal<Phase>;
  /** The state of the lesson. */
  readonly run: ReadonlySignal<Run | undefined>;
  /** The terminal while it is shown. */
  readonly terminal: { value: Terminal | undefined };
  /** Opens the session again after a refusal or after its end. */
  open(): void;
  /** Throws a `ControlFailure` if the service refuses. */
  check(): Promise<Run>;
  answer(text: string): Promise<Run>;
  reset(): Promise<void>;
}
