// The protocol of a forwarded connection: parses the client's bytes into requests for the pod.
import type { ForwardAnswer, ForwardStep } from "../../../../shared/contract/cluster-object.ts";

export interface Exchange {
  /** The request to the pod. Undefined if the response is known without the pod. */
  readonly step?: Omit<ForwardStep, "port">;
  /** Encodes the response. `reply` is defined if there was a step. */
  answer(reply: ForwardAnswer | undefined): Uint8Array;
  /** Called after the response. */
  done?(): void;
  /** True if the connection ends with the response. */
  readonly isLast: boolean;
}

export interface Conversation {
  /** Parses bytes. Returns the reason why nothing more is read, or undefined. */
  take(bytes: Uint8Array): string | undefined;
  /** Returns the next complete request. */
  next(): Exchange | undefined;
  /** Releases the buffered bytes. */
  end(): void;
}

/** The bytes that all connections of a session hold before the cluster has received them. */
export interface SessionBuffer {
  bytes: number;
}

/** The limit of `Held`. The connection that exceeds it is ended. */
const maxBufferBytes = 4_194_304;
export const tooMuch = "more is sent than a simulated container reads at once";

/** The share of one connection. */
export interface Share {
  readonly bytes: () => number;
  set(bytes: number): void;
  /** Reports whether all connections together exceed the limit. */
  isTooMuch(): boolean;
}

export function newShare(buffer: SessionBuffer): Share {
  let heldBytes = 0;
  return {
    bytes: () => heldBytes,
    set: (bytes) => {
      buffer.bytes += bytes - heldBytes;
      heldBytes = bytes;
    },
    isTooMuch: () => buffer.bytes > maxBufferBytes,
  };
}
