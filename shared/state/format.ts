// The file format of a cluster's state, and the errors of malformed files. `write-state.ts` writes it, `read-state.ts` reads it.
//
// Two lines of JSON, then three parts, each compressed by itself (raw deflate):
//   1. `StateLead`: the type of the file, and the digest of everything after this line;
//   2. `StateHeader`: the facts, and the length of each part;
//   3. the index (a line of keys, revisions, owners and lengths for each object), `StateMeta`, and the objects' texts in blocks.
// Objects are sorted by resource, namespace and name, as JavaScript compares texts.

export const stateFormat = "sandbar-state";
/** The version of the format. Readers refuse newer files. */
export const stateVersion = 1;

/** The first line of the file. */
export interface StateLead {
  readonly format: typeof stateFormat;
  readonly version: number;
  /** The number of bytes after this line. */
  readonly size: number;
  /** The SHA-256 of those bytes, as lower-case hex. */
  readonly digest: string;
  /** The service's signature of the digest, which this module does not verify. */
  readonly signature?: string;
}

/** A part of the file with its uncompressed and compressed length in bytes. */
export interface StatePart {
  readonly bytes: number;
  readonly packed: number;
}

/** The second line of the file. */
export interface StateHeader {
  /** The revision of the cluster. Objects keep their own, which are at most as high. */
  readonly revision: number;
  /** The time of writing in milliseconds since 1970. */
  readonly madeMs: number;
  readonly objects: number;
  /** The number of characters of the objects' texts, although the field's name in the file says bytes. */
  readonly bytes: number;
  readonly index: StatePart;
  readonly meta: StatePart;
}

/** The PEM texts of the state's cluster. In objects, another cluster's can replace them. */
export interface StateCertificates {
  /** The certificate that `kube-root-ca.crt` publishes. */
  readonly rootCA: string;
  /** The authorities of client certificates and of the front proxy. */
  readonly clientCA: string;
  readonly frontProxyCA: string;
}

/** A queued reconcile request. */
export interface StateRequest {
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  readonly dueMs: number;
  readonly attempts: number;
  readonly savedState?: string;
}

/** The clock of a sandbox: its time when the file was written, and its speed. */
export interface StateClock {
  readonly nowMs: number;
  readonly state: "running" | "paused";
  readonly speed: number;
}

/** The state of a running cluster besides its objects. */
export interface StateMeta {
  /** The settings as `sandboxSettings` reads them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly certificates: StateCertificates;
  /** Rows of containers: a file that was changed, or input that was sent. `worker/containers` reads keys and values. */
  readonly rows: readonly (readonly [key: string, value: string])[];
  /** The queue. Absent if controllers must reconcile everything. */
  readonly queue?: readonly StateRequest[];
  /** The clock. Absent for real time. */
  readonly clock?: StateClock;
}

export interface StateKey {
  /** GroupResource as text: `deployments.apps`. */
  readonly resource: string;
  /** The namespace; "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface StateEntry extends StateKey {
  readonly revision: number;
  /** Characters of its text. */
  readonly characters: number;
  /** The UIDs of owners; the controller's has the prefix `!`. */
  readonly owners: readonly string[];
  /** The value by which the store indexes objects of this kind, such as a pod's node; "" if the kind has no index. */
  readonly indexValue: string;
}

export type StateFault = "not_a_state" | "newer" | "cut" | "altered" | "damaged" | "too_large";

/** A problem of the file. The message is a sentence for the person who uploaded it. */
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
