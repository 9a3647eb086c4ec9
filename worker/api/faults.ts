// The faults that are injected into requests and watches, as the API sees them. Absent or idle in a cluster without faults.
import type { ApiError } from "../../shared/k8s/status.ts";
import type { Change } from "../store/change.ts";

/** A client: its user and the beginning of its user agent. A watch keeps it, so that faults can select the watch later. */
export interface FaultClient {
  readonly user: string;
  readonly userAgent: string;
}

/** A request as the selector of a fault sees it. */
export interface FaultTarget extends FaultClient {
  readonly verb: string;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** "" for collections and creations. */
  readonly name: string;
}

export interface RequestFault {
  /** The milliseconds of real time before the request is handled. */
  readonly latencyMs: number;
  readonly refusal?: ApiError | undefined;
  /** True if the connection is cut before the request is handled. */
  readonly isCut: boolean;
  /** True if the request is handled and its answer is lost. */
  readonly isAnswerLost: boolean;
  /** The revision at which a lagging server answers a read from its cache. */
  readonly staleRevision?: number | undefined;
}

/** The selection of watches by faults. */
export interface WatchFaults {
  /** True while no fault is set, so that nothing else of it is called. */
  readonly isIdle: boolean;
  /** Reports whether a change is held back from a client, or skipped. */
  hides(client: FaultClient, change: Change): boolean;
  /** Returns the milliseconds of real time by which the events of a resource reach a client late. */
  delayMs(client: FaultClient, resource: string): number;
}

export interface Faults extends WatchFaults {
  /** Returns the faults of a request, and counts it. */
  begin(request: FaultTarget): RequestFault;
  /** Counts a write that succeeded. */
  wrote(request: FaultTarget): void;
  /** Reports whether every connection of a client is cut. */
  isDisconnected(client: FaultClient): boolean;
  /** Returns the revision at which a lagging server answers a client; undefined if it is up to date. */
  staleRevision(request: FaultTarget): number | undefined;
}
