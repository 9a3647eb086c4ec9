// Syncs of pods that continue in another turn. They are held only in memory: after it is lost, a sync begins again.
import { limits } from "../../shared/base/limits.ts";
import type { Pod, Volume } from "../../shared/k8s/api/core-v1.ts";
import type { Request } from "../runtime/controller.ts";
import type { ContainerRun, Image } from "../containers/cri.ts";
import { type SyncWork, newSyncWork, type NodeView, timeMs } from "./life.ts";

export interface PodSync {
  /** The time of the sync, the same in all its parts. */
  readonly nowMs: number;
  readonly work: SyncWork;
  /** Identifies the pod and the version of its containers' edits for which the work was done. */
  readonly identity: string;
  /** Whether an object that the pod waits for changed during the sync: another sync follows. */
  isStale: boolean;
}

/** A sync under way. If `nowMs` is undefined, it follows one that made the maximum number of moves. */
type Entry = Omit<PodSync, "nowMs"> & { readonly nowMs: number | undefined };

export function newSync(pod: Pod, version: number, nowMs: number): PodSync {
  return { nowMs, work: newSyncWork(), identity: identityOf(pod, version), isStale: false };
}

export class UnfinishedSyncs {
  readonly #entries = new Map<string, Entry>();
  /** Pods whose syncs take more than a turn and did not get a place. */
  readonly #turnedAway = new Set<string>();

  /** Begins or continues the sync of a pod. Returns undefined if the sync must wait until there is a place for it. */
  begin(request: Request, pod: Pod, version: number, nowMs: number): PodSync | undefined {
    const key = keyOf(request);
    const entry = this.#entries.get(key);
    if (!entry && this.#turnedAway.has(key) && !this.#hasPlace()) return undefined;
    const isFollowed = entry?.identity === identityOf(pod, version) && (entry.nowMs !== undefined || !entry.isStale);
    return isFollowed ? Object.assign(entry, { nowMs: entry.nowMs ?? nowMs }) : newSync(pod, version, nowMs);
  }

  /** Stores the results of a sync for its next part. Returns false if there is no place for it. */
  keep(request: Request, sync: PodSync): boolean {
    const key = keyOf(request);
    if (!this.#entries.has(key) && !this.#hasPlace()) {
      this.#turnedAway.add(key);
      return false;
    }
    this.#turnedAway.delete(key);
    this.#entries.set(key, sync);
    return true;
  }

  /** Ends a sync. `next`: the pod as stored, if this sync made the maximum number of moves and the next one continues. */
  end(request: Request, { work, isStale }: PodSync, next?: { readonly pod: Pod; readonly version: number }): void {
    this.drop(request);
    // Containers that share files are followed anew: the run of each depends on when the others were started.
    if (!next || isStale || !this.#hasPlace() || next.pod.spec.volumes?.some(isWritable)) return;
    const visitors = new Map([...work.visitors].filter(([, run]) => isUnderWay(next.pod, run)));
    const nextWork = {
      ...work,
      hooks: new Map(),
      startProblems: new Map(),
      probesWaitFor: new Set<string>(),
      sandbox: undefined,
      visitors,
    };
    this.#entries.set(keyOf(request), {
      nowMs: undefined,
      work: nextWork,
      identity: identityOf(next.pod, next.version),
      isStale: false,
    });
  }

  /** Marks the sync of a pod as stale, because an object that the pod waits for changed. */
  outdate(request: Request): void {
    const entry = this.#entries.get(keyOf(request));
    if (entry) entry.isStale = true;
  }

  drop(request: Request): void {
    this.#entries.delete(keyOf(request));
    this.#turnedAway.delete(keyOf(request));
  }

  #hasPlace(): boolean {
    return this.#entries.size < limits.unfinishedSyncs;
  }
}

/** Returns the objects whose changes can change the programs and probes that were followed so far. */
export function waitsSoFar({ runs, probesWaitFor }: SyncWork): string[] {
  return [...[...runs.values()].flatMap(({ waitsFor }) => [...waitsFor]), ...probesWaitFor];
}

/** Returns a view of the node for one part of a sync. It collects what the pod takes from the node until `release` is called. */
export function holding(node: NodeView, work: SyncWork): { readonly node: NodeView; release(): void } {
  const heldImages = new Map<string, { readonly image: Image; readonly sinceMs: number }>();
  const sinceOf = (image: Image) => heldImages.get(image.name)?.sinceMs ?? Number.POSITIVE_INFINITY;
  const { runtime, images } = node;
  return {
    node: {
      ...node,
      runtime: { ...runtime, runPodSandbox: (pod) => (work.sandbox ??= runtime.runPodSandbox(pod)) },
      images: {
        ...images,
        presentSince: (image) => {
          const since = Math.min(images.presentSince(image) ?? Number.POSITIVE_INFINITY, sinceOf(image));
          return since === Number.POSITIVE_INFINITY ? undefined : since;
        },
        keepImage: (image, sinceMs) =>
          void heldImages.set(image.name, { image, sinceMs: Math.min(sinceMs, sinceOf(image)) }),
      },
    },
    release: () => {
      for (const { image, sinceMs } of heldImages.values()) images.keepImage(image, sinceMs);
    },
  };
}

/** Reports whether a run is still going on. The timeline already has all others, with their ends. */
function isUnderWay({ status }: Pod, { container, startMs }: ContainerRun): boolean {
  const all = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  return all.some(({ name, state }) => name === container && timeMs(state.running?.startedAt) === startMs);
}

function isWritable({ configMap, secret, projected, downwardAPI, image }: Volume): boolean {
  return !(configMap ?? secret ?? projected ?? downwardAPI ?? image);
}

function keyOf({ namespace, name }: Request): string {
  return `${namespace}/${name}`;
}

function identityOf({ metadata }: Pod, version: number): string {
  return `${metadata.uid ?? ""}/${metadata.resourceVersion ?? ""}/${version}`;
}
