// What came of a request to someone outside, as far as it has come.
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Pairs;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The connection was upgraded. */
  readonly socket?: WebSocket | undefined;
}

/** `refused`: the cluster's own answer. */
export type Carried = Answered | { readonly refused: Response };

/** Why there is no answer, in the words of Go's HTTP client. */
export interface Failed {
  readonly error: string;
}

/** Fires when the client goes, and when nothing has come in time; not any more after `begun`. */
export function patience(client: AbortSignal, timeoutMs: number) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const begun = () => clearTimeout(timer);
  client.addEventListener("abort", begun, { once: true });
  return { signal: AbortSignal.any([client, late.signal]), begun };
}
