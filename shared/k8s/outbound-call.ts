// What synchronous code cannot find out itself, and someone outside must be asked: a webhook, a conversion. The code that needs the
// answer throws `PendingCalls`; whoever runs it gets the answers and runs it again, with the same time and chance, so that it asks the
// same and finds them.

export interface OutboundCall {
  readonly to: Recipient;
  /** JSON, to be posted. */
  readonly body: string;
  readonly timeoutMs: number;
  /** Absent: POST. */
  readonly method?: "GET";
  readonly headers?: Headers;
}

/** Name and value; a name may come several times. */
export type Headers = readonly (readonly [string, string])[];

/** Upstream's `WebhookClientConfig`, resolved to a URL. */
export interface Recipient {
  readonly url: string;
  /** The Service of this cluster that the URL's host stands for. */
  readonly service?: ServiceAddress | undefined;
  /** PEM, in base64: who signs the recipient's certificate, where it is no public authority. */
  readonly caBundle?: string | undefined;
  /** Whoever answers is believed (upstream's `insecureSkipTLSVerify`). */
  readonly insecure?: boolean | undefined;
  /** It serves an aggregated API: it is shown the cluster's client certificate, where the way to it can. */
  readonly isAggregated?: boolean | undefined;
}

export interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** What came back, or why nothing did, in the words of Go's HTTP client. */
export type OutboundAnswer =
  | { readonly ok: true; readonly status: number; readonly body: string; readonly contentType?: string }
  | { readonly ok: false; readonly message: string };

/** Any request to someone outside: what is proxied. */
export interface OutsideRequest {
  readonly to: Recipient;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** `message`: what went wrong, as Go's HTTP client words it, without the address. */
export type OutsideAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: Headers; readonly body: Uint8Array }
  | { readonly ok: false; readonly message: string };

/** Equal calls are one. */
export function keyOfCall({ to, body, timeoutMs, method, headers }: OutboundCall): string {
  return JSON.stringify([to, body, timeoutMs, method, headers]);
}

/** No error, but the way back to whoever can ask. Nothing may catch it on its way. */
export class PendingCalls extends Error {
  readonly calls: readonly OutboundCall[];
  constructor(calls: readonly OutboundCall[]) {
    super(`${calls.length} calls have no answer yet`);
    this.calls = calls;
  }
}

/** The way back to whoever can let others have a turn. Nobody is asked: what was worked out is kept, and the body runs again. */
export class AnotherTurn extends PendingCalls {
  constructor() {
    super([]);
  }
}

/** The answers to all of them, or `PendingCalls` with those that are missing. */
export function answersFrom(
  known: ReadonlyMap<string, OutboundAnswer>,
  calls: readonly OutboundCall[],
): OutboundAnswer[] {
  const missing = calls.filter((call) => !known.has(keyOfCall(call)));
  if (missing.length > 0) throw new PendingCalls(missing);
  return calls.flatMap((call) => known.get(keyOfCall(call)) ?? []);
}
