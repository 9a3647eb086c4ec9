// What the parts of a frame share: its settings, who is there and with which sandbox, and what can be done.
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
  /** Followed as long as it is open; absent where nothing shows it and nobody is told. */
  readonly cluster: ClusterState | undefined;
}

export type Refused = ErrorBody["error"] & { readonly is: "refused"; readonly status: number };

export type Phase = { readonly is: "opening" } | Opened | Refused | { readonly is: "expired" };

export interface FrameState {
  readonly settings: Settings;
  readonly link: PageLink;
  readonly words: ReadonlySignal<Words>;
  readonly phase: ReadonlySignal<Phase>;
  /** Of a lesson. */
  readonly run: ReadonlySignal<Run | undefined>;
  /** Where there is one and it is shown. */
  readonly terminal: { value: Terminal | undefined };
  /** Again, after a refusal or the end. */
  open(): void;
  /** These throw what the service refuses, a `ControlFailure`. */
  check(): Promise<Run>;
  answer(text: string): Promise<Run>;
  reset(): Promise<void>;
}
