// Looks of the kubelet at pods that go on in another turn. Only a memory: after it was lost a look begins again.
import { limits } from "../../shared/base/limits.ts";
import type { Pod, Volume } from "../../shared/k8s/api/core-v1.ts";
import type { Request } from "../runtime/controller.ts";
import type { ContainerRun, Image } from "../containers/cri.ts";
import { type LookWork, newLookWork, type NodeView, timeMs } from "./life.ts";

export interface Look {
  /** The moment that the look is of, in all its parts. */
  readonly nowMs: number;
  readonly work: LookWork;
  /** The pod, and the version of what people changed in its containers, that the work belongs to. */
  readonly identity: string;
  /** Something changed meanwhile that the pod waits for: another look follows. */
  isStale: boolean;
}

/** A look under way. Without a moment it follows one that made as many moves as one look may. */
type Entry = Omit<Look, "nowMs"> & { readonly nowMs: number | undefined };

export function newLook(pod: Pod, version: number, nowMs: number): Look {
  return { nowMs, work: newLookWork(), identity: identityOf(pod, version), isStale: false };
}

export class UnfinishedLooks {
  readonly #entries = new Map<string, Entry>();
  /** Pods whose looks take more than a turn and found no place. */
  readonly #turnedAway = new Set<string>();

  /** Begins a look at a pod, or goes on with it. Returns undefined if it has to wait until there is a place for it. */
  begin(request: Request, pod: Pod, version: number, nowMs: number): Look | undefined {
    const key = keyOf(request);
    const entry = this.#entries.get(key);
    if (!entry && this.#turnedAway.has(key) && !this.#hasPlace()) return undefined;
    const isFollowed = entry?.identity === identityOf(pod, version) && (entry.nowMs !== undefined || !entry.isStale);
    return isFollowed ? Object.assign(entry, { nowMs: entry.nowMs ?? nowMs }) : newLook(pod, version, nowMs);
  }

  /** Keeps what a look has worked out for its next part. Returns false if there is no place for it. */
  keep(request: Request, look: Look): boolean {
    const key = keyOf(request);
    if (!this.#entries.has(key) && !this.#hasPlace()) {
      this.#turnedAway.add(key);
      return false;
    }
    this.#turnedAway.delete(key);
    this.#entries.set(key, look);
    return true;
  }

  /** Ends a look. `next`: the pod as it was stored, if the next look goes on where this one made as many moves as one may. */
  end(request: Request, { work, isStale }: Look, next?: { readonly pod: Pod; readonly version: number }): void {
    this.drop(request);
    // Containers that share files are followed anew: what one does depends on when the others were started.
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

  /** Notes that something has changed that the pod waits for. */
  outdate(request: Request): void {
    const entry = this.#entries.get(keyOf(request));
    if (entry) entry.isStale = true;
  }

  drop(request: Request): void {
    this.#entries.delete(keyOf(request));
    this.#turnedAway.delete(keyOf(request));
  }

  #hasPlace(): boolean {
    return this.#entries.size < limits.unfinishedLooks;
  }
}

/** Returns what would let the programs and probes that were followed so far do something else. */
export function waitsSoFar({ runs, probesWaitFor }: LookWork): string[] {
  return [...[...runs.values()].flatMap(({ waitsFor }) => [...waitsFor]), ...probesWaitFor];
}

/** The node for a part of a look: what the pod takes of it is only taken when the look is over. */
export function holding(node: NodeView, work: LookWork): { readonly node: NodeView; release(): void } {
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

/** Reports whether a run goes on: the timeline has been told of the others, their ends too. */
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
