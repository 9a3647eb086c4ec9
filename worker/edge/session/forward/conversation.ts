// What is said on a forwarded connection: the client's bytes as questions for the pod, in whatever language the program there speaks.
import type { ForwardAnswer, ForwardStep } from "../../../../shared/contract/cluster-object.ts";

export interface Exchange {
  /** Absent: the answer is known without the pod. */
  readonly step?: Omit<ForwardStep, "port">;
  /** The bytes of an answer; `said` is there where there was a step. */
  answer(said: ForwardAnswer | undefined): Uint8Array;
  /** Called once it is answered. */
  done?(): void;
  /** The connection ends with it. */
  readonly isLast: boolean;
}

export interface Conversation {
  /** Why nothing more is read; undefined while all is well. */
  take(bytes: Uint8Array): string | undefined;
  /** Questions that have come whole, in their order. */
  next(): Exchange | undefined;
  /** Nothing more is asked of it: what it holds is let go. */
  end(): void;
}

/** What all connections of one session hold together, in bytes that no cluster was asked about so far. */
export interface Held {
  bytes: number;
}

/** Of `Held`: more ends the connection that brings it. */
const mostHeld = 4_194_304;
export const tooMuch = "more is sent than a simulated container reads at once";

/** What one connection holds of it. */
export interface Share {
  readonly bytes: () => number;
  set(bytes: number): void;
  /** Whether all hold too much. */
  isTooMuch(): boolean;
}

export function newShare(held: Held): Share {
  let own = 0;
  return {
    bytes: () => own,
    set: (bytes) => {
      held.bytes += bytes - own;
      own = bytes;
    },
    isTooMuch: () => held.bytes > mostHeld,
  };
}
