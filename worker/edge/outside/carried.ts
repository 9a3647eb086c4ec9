// The response of an outside server, possibly still incomplete.
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Pairs;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The socket of an upgraded connection. */
  readonly socket?: WebSocket | undefined;
}

/** A response of the server, or with `refused` the cluster's own response. */
export type Carried = Answered | { readonly refused: Response };

/** The reason of a missing response, worded as Go's HTTP client. */
export interface Failed {
  readonly error: string;
}

/** Aborts when the client disconnects, or when nothing has arrived within the timeout. The timeout ends with `begun`. */
export function patience(client: AbortSignal, timeoutMs: number) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const begun = () => clearTimeout(timer);
  client.addEventListener("abort", begun, { once: true });
  return { signal: AbortSignal.any([client, late.signal]), begun };
}
