// What containers and their kubelet can see of the cluster around them.
import type { Unknown } from "../../../shared/contract/sandbox.ts";
import { type ClusterNetwork, defaultNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Probed, RecordedLog, Span } from "../cri.ts";
import type { OwnImages } from "../images/own-images.ts";
import type { Edit } from "../shell/files.ts";
import type { Run, Trace } from "../shell/trace.ts";
import type { Typed } from "../shell/input.ts";
import type { Chunk, World } from "../shell/process.ts";
import type { Contact, Reached } from "../shell/contact.ts";

/** Kinds of which containers are told when an object was written. */
export type WrittenKind = "configmap" | "secret" | "service" | "endpoints";

export interface ClusterView extends Pick<World, "service" | "nameOf"> {
  /** The cluster as it was at a moment; absent if it has no past. */
  at?(atMs: number): ClusterView;
  /**
   * Returns when a container was started that its status says was started in the second that begins at `startMs`; the end of that second
   * if the log does not tell.
   */
  startedMs?(pod: Pod, container: string, startMs: number): number;
  /** Returns the time of the first write to the cluster after a moment; Infinity if there is none. */
  nextWriteMs?(afterMs: number): number;
  /** Returns the times at which an object was written after a moment. */
  writesOf?(kind: WrittenKind, namespace: string, name: string, afterMs: number): readonly number[];
  /** The ranges of addresses that the cluster hands out. */
  readonly ranges: ClusterNetwork;
  /**
   * Opens the connections of a pod, each in the cluster as it is at its time. `except`: one of its containers, which knows itself what it
   * listens on. `startMs`: connections before it find the cluster as it is then.
   */
  network?(pod: Pod, except?: string, startMs?: number): Network;
  /** Runs that wait where they were left; absent where each is followed from its start. */
  readonly suspendedRuns?: SuspendedRuns;
  /** The cluster's objects, for servers that read them; absent if no cluster is known. */
  readonly client?: ReconcileContext["client"];
  /** The texts of a ConfigMap or a Secret by key, on request with what is no text; undefined if it is not there. */
  data(
    kind: "configmap" | "secret",
    namespace: string,
    name: string,
    withBinary?: boolean,
  ): Readonly<Record<string, string>> | undefined;
  /** Those that are bound to a node and have not ended; absent where no cluster is known. */
  podsOn?(node: string): readonly Pod[];
  /** What a container has printed, for its node; absent where that would lead in a circle. */
  log?(pod: Pod, container: string, previous: boolean, nowMs: number): readonly Chunk[];
  /** The traces of a kubelet's probes in a container's log, worked out in a view of the cluster; absent where no kubelet is known. */
  probed?(pod: Pod, container: string, view: ClusterView, span: Span): Probed;
  /** A namespace's Services that have an address. */
  links(namespace: string): readonly ServiceLink[];
  /** The token of a pod's service account. */
  token(pod: Pod, asked: TokenAsked): string;
  /** Returns what was recorded of the log of a run up to a moment; undefined if nothing was. */
  recordedLog?(pod: Pod, container: string, startMs: number): RecordedLog | undefined;
  /** What a person changed in the files of a container while it ran. */
  edits(pod: Pod, container: string): readonly Edit[];
  /** The same view, which tells of what connections do to others; absent where they do nothing. */
  affecting?(affects: Affects): ClusterView;
  /** Returns another number whenever others have changed something in the pod. */
  editsVersion(pod: Pod): number;
  /** Accounts the work of runs to the turn in which they are followed. */
  account(work: number): void;
  /** Returns another number whenever others have changed something in the pod. */
  editsVersion(pod: Pod): number;
  /** Told of what should not have happened while a run was followed. */
  report?(error: unknown): void;
  /** What becomes of software that the simulator lacks. Default: `succeed`. */
  readonly unknown?: Unknown | undefined;
  /** The images that the sandbox defines. */
  readonly ownImages?: OwnImages | undefined;
  /** What was typed to a container's own program. */
  typed(pod: Pod, container: string): Pick<Typed, "typed" | "hasEnded"> | undefined;
}

/** Returns a view in which a container that is started at this moment, and whose status is not stored yet, was started now. */
export function startingNow(view: ClusterView, stored: Pod | undefined, nowMs: number): ClusterView {
  const startedMs: ClusterView["startedMs"] = (pod, container, startMs) => {
    if (!stored || hasStarted(stored, container, startMs)) return view.startedMs?.(pod, container, startMs) ?? startMs;
    return Math.max(startMs, nowMs);
  };
  return { ...view, startedMs };
}

function hasStarted({ status }: Pod, container: string, startMs: number): boolean {
  const all = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses];
  const states = all
    .flatMap((list) => list ?? [])
    .filter(({ name }) => name === container)
    .flatMap(({ state, lastState }) => [state.running, state.terminated, lastState.terminated]);
  return states.some((state) => state?.startedAt && parseTime(state.startedAt) === startMs);
}

/** Opens connections. */
export interface Network {
  (contact: Contact): Reached;
  /** See `World.refresh`. */
  refresh?(): void;
}

export interface SuspendedRuns {
  /**
   * Follows a run to a moment: from where it waits, or from its start. Undefined if it was followed further before. `outside`: what others
   * have done to it by now.
   */
  follow(key: string, untilMs: number, outside: readonly Edit[], begin: () => Run): Trace | undefined;
}

/** Told of what a connection does to the container that answers it. */
export type Affects = (pod: Pod, container: string, edits: readonly Edit[]) => void;

export interface ServiceLink {
  readonly name: string;
  readonly address: string;
  readonly sinceMs: number;
  readonly ports: readonly { readonly name?: string; readonly port: number; readonly protocol: string }[];
}

/** As a projected volume asks for it. */
export interface TokenAsked {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

export const emptyView: ClusterView = {
  ranges: defaultNetwork,
  account: () => undefined,
  editsVersion: () => 0,
  service: () => undefined,
  data: () => undefined,
  links: () => [],
  token: () => "",
  edits: () => [],
  typed: () => undefined,
};
