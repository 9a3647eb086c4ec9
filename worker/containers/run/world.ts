// The view of the cluster that containers and their kubelet have.
import { newestRelease, type Release } from "../../../shared/k8s/settings/release.ts";
import type { Unknown } from "../../../shared/contract/sandbox.ts";
import { type ClusterNetwork, defaultNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { Probed, RecordedLog, Span } from "../cri.ts";
import type { OwnImages } from "../images/own-images.ts";
import type { ControlPlaneNode, NodePki } from "../node/node-pki.ts";
import type { Edit } from "../shell/files.ts";
import type { Run, Trace } from "../shell/trace.ts";
import type { Typed } from "../shell/input.ts";
import type { Chunk, World } from "../shell/process.ts";
import type { Contact, Reached } from "../shell/contact.ts";

/** The kinds of objects whose write times a container can depend on. */
export type WrittenKind = "configmap" | "secret" | "service" | "endpoints";

export interface ClusterView extends Pick<World, "service" | "nameOf"> {
  /** Returns the cluster as it was at a moment; absent if the past is not stored. */
  at?(atMs: number): ClusterView;
  /**
   * Returns the start of a container with milliseconds. Its status has only the second, which begins at `startMs`. If the history does not
   * contain the start, the result is the end of that second.
   */
  startedMs?(pod: Pod, container: string, startMs: number): number;
  /** Returns the time of the first write to the cluster after a moment; Infinity if there is none. */
  nextWriteMs?(afterMs: number): number;
  /** Returns the times at which an object was written after a moment. */
  writesOf?(kind: WrittenKind, namespace: string, name: string, afterMs: number): readonly number[];
  /** The address ranges of the cluster. */
  readonly ranges: ClusterNetwork;
  /** The release of the API server. */
  readonly release: Release;
  /**
   * Returns the network of a pod. Each connection reads the cluster at its own time, but never before `startMs`. `except`: a container of the
   * pod whose ports are left out, because its run looks up its own ports.
   */
  network?(pod: Pod, except?: string, startMs?: number): Network;
  /** The suspended runs; absent if each run is computed from its start. */
  readonly suspendedRuns?: SuspendedRuns;
  /** The cluster's objects, for servers that read them; absent if no cluster is known. */
  readonly client?: ReconcileContext["client"];
  /** Returns the values of a ConfigMap or a Secret by key; undefined if the object does not exist. `withBinary`: includes binary values. */
  data(
    kind: "configmap" | "secret",
    namespace: string,
    name: string,
    withBinary?: boolean,
  ): Readonly<Record<string, string>> | undefined;
  /** Returns the pods that are bound to a node and have not ended; absent if no cluster is known. */
  podsOn?(node: string): readonly Pod[];
  /** Returns the node with the control plane and its address; undefined if no node has one. Absent if no cluster is known. */
  controlPlane?(): ControlPlaneNode | undefined;
  /** The certificates of nodes; absent if the cluster has no authority. */
  readonly pki?: NodePki | undefined;
  /** Returns the output of a container, for its node; absent if computing it would depend on itself. */
  log?(pod: Pod, container: string, previous: boolean, nowMs: number): readonly Chunk[];
  /** Returns the lines that a kubelet's probes cause in a container's log; absent if no kubelet is known. */
  probed?(pod: Pod, container: string, view: ClusterView, span: Span): Probed;
  /** Returns the Services of a namespace that have an address. */
  links(namespace: string): readonly ServiceLink[];
  /** Returns a token of a pod's service account. */
  token(pod: Pod, projection: TokenProjection): string;
  /** Returns what was recorded of the log of a run up to a moment; undefined if nothing was. */
  recordedLog?(pod: Pod, container: string, startMs: number): RecordedLog | undefined;
  /** Returns the changes that people made to the files of a running container. */
  edits(pod: Pod, container: string): readonly Edit[];
  /** Returns a view that reports the effects of connections on other containers; absent if there are no effects. */
  affecting?(affects: Affects): ClusterView;
  /** Returns the version of the pod's edits from outside: another number after each change. */
  editsVersion(pod: Pod): number;
  /** Accounts the work of runs to the turn in which they are followed. */
  account(work: number): void;
  /** Receives bugs that occurred while a run was computed. */
  report?(error: unknown): void;
  /** The policy for software that the simulator lacks. Default: `succeed`. */
  readonly unknown?: Unknown | undefined;
  /** The images that the sandbox defines. */
  readonly ownImages?: OwnImages | undefined;
  /** Returns the input that was typed to a container's program. */
  typed(pod: Pod, container: string): Pick<Typed, "typed" | "hasEnded"> | undefined;
}

/** Returns a view in which a container whose status is not stored yet was started now. */
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

/** A function that opens connections. */
export interface Network {
  (contact: Contact): Reached;
  /** See `World.refresh`. */
  refresh?(): void;
}

export interface SuspendedRuns {
  /**
   * Follows a run to a moment, from its suspended position or from its start. Returns undefined if its position is already later. `outside`: the
   * present edits from outside.
   */
  follow(key: string, untilMs: number, outside: readonly Edit[], begin: () => Run): Trace | undefined;
}

/** Receives the effects of a connection on the container that answers it. */
export type Affects = (pod: Pod, container: string, edits: readonly Edit[]) => void;

export interface ServiceLink {
  readonly name: string;
  readonly address: string;
  readonly sinceMs: number;
  readonly ports: readonly { readonly name?: string; readonly port: number; readonly protocol: string }[];
}

/** The token options of a projected volume. */
export interface TokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

export const emptyView: ClusterView = {
  ranges: defaultNetwork,
  release: newestRelease,
  account: () => undefined,
  editsVersion: () => 0,
  service: () => undefined,
  data: () => undefined,
  links: () => [],
  token: () => "",
  edits: () => [],
  typed: () => undefined,
};
