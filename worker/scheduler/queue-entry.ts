// A pod without a node, as the scheduling queue knows it.

export interface Entry {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly priority: number;
  place: "active" | "backoff" | "waiting";
  /** Order of coming, or of the last failure. */
  sequence: number;
  /** Tries in vain, and errors one after another: the pauses grow with them. */
  failures: number;
  errors: number;
  /** When the last try was; undefined where that is not known. */
  triedMs: number | undefined;
  /** The plugins that refused it; undefined where that is not known: each may have. */
  rejectors: ReadonlySet<string> | undefined;
  /** The one that does not let it be tried at all. */
  gate: string | undefined;
}
