// The state of a cluster as a file: what stands in it, and how it is refused. `write-state.ts` writes it, `read-state.ts` reads it.
//
// Two lines of JSON, then three parts, each compressed by itself (raw deflate):
//   1. `StateLead`: what the file is, and the digest of all that comes after this line;
//   2. `StateHeader`: the facts, and how long each part is;
//   3. the index (a line of keys, revisions, owners and lengths for each object), `StateMeta`, and the objects' texts in blocks.
// Objects stand in the order of resource, namespace and name, as JavaScript compares texts.

export const stateFormat = "sandbar-state";
/** Readers refuse what is newer than this. */
export const stateVersion = 1;

/** The first line. */
export interface StateLead {
  readonly format: typeof stateFormat;
  readonly version: number;
  /** Bytes after this line. */
  readonly size: number;
  /** SHA-256 of them, lower-case hex. */
  readonly digest: string;
  /** What a service says of the digest; not this module's. */
  readonly signature?: string;
}

/** A part of the file: its bytes uncompressed, and as they stand there. */
export interface StatePart {
  readonly bytes: number;
  readonly packed: number;
}

/** The second line. */
export interface StateHeader {
  /** Of the cluster, when the state was its. Objects keep their own, which are not above it. */
  readonly revision: number;
  /** Milliseconds since 1970: when it was written. */
  readonly madeMs: number;
  readonly objects: number;
  /** Characters of the objects' texts. */
  readonly bytes: number;
  readonly index: StatePart;
  readonly meta: StatePart;
}

/** PEM texts of the cluster of which the state is: where they stand in objects, another cluster's can be put in their place. */
export interface StateCertificates {
  /** What `kube-root-ca.crt` publishes. */
  readonly rootCA: string;
  /** Who signs clients' certificates, and who the front proxy's. */
  readonly clientCA: string;
  readonly frontProxyCA: string;
}

/** What is waiting to be reconciled. */
export interface StateRequest {
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  readonly dueMs: number;
  readonly attempts: number;
  readonly savedState?: string;
}

/** A clock that was set: where it stood when the file was written, and how it goes on from there. */
export interface StateClock {
  readonly nowMs: number;
  readonly state: "running" | "paused";
  readonly speed: number;
}

/** What a running cluster has beside its objects. */
export interface StateMeta {
  /** As `sandboxSettings` reads them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly certificates: StateCertificates;
  /** Rows of the cluster's that come along: what people changed in containers and typed to them. */
  readonly rows: readonly (readonly [key: string, value: string])[];
  /** Absent: controllers look at everything. */
  readonly queue?: readonly StateRequest[];
  /** Absent: the cluster lives in real time. */
  readonly clock?: StateClock;
}

export interface StateKey {
  /** GroupResource as text: `deployments.apps`. */
  readonly resource: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface StateEntry extends StateKey {
  readonly revision: number;
  /** Characters of its text. */
  readonly bytes: number;
  /** uids, the controlling one's marked with `!` before it. */
  readonly owners: readonly string[];
  /** Of its kind; "" where there is none. */
  readonly indexValue: string;
}

export type StateFault = "not_a_state" | "newer" | "cut" | "altered" | "damaged" | "too_large";

/** The message is a sentence for whoever brought the file. */
export class StateFileError extends Error {
  override name = "StateFileError";
  readonly fault: StateFault;

  constructor(fault: StateFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export function damaged(what: string): StateFileError {
  return new StateFileError("damaged", `The file is damaged: ${what} cannot be read.`);
}

export function compareKeys(a: StateKey, b: StateKey): number {
  return compareText(a.resource, b.resource) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
