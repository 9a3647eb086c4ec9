// Calls to webhooks and conversions, which synchronous code cannot make. Code that needs an answer throws `PendingCalls`. The caller gets
// the answers outside the turn and runs the code again with the same time and seed, so that it makes the same calls and finds their
// answers.

export interface OutboundCall {
  readonly to: Recipient;
  /** The JSON that is posted. */
  readonly body: string;
  readonly timeoutMs: number;
  /** Default: POST. */
  readonly method?: "GET";
  readonly headers?: Headers;
  /** The webhook that is called. Undefined for other calls. */
  readonly webhook?: WebhookIdentity;
}

/** A webhook of a stored configuration. */
export interface WebhookIdentity {
  /** The resource of the configuration: `validatingwebhookconfigurations.admissionregistration.k8s.io`. */
  readonly resource: string;
  readonly configuration: string;
  /** The name within the configuration; empty for the webhook of a CustomResourceDefinition. */
  readonly name: string;
}

/** Names and values; a name may occur several times. */
export type Headers = readonly (readonly [string, string])[];

/** Upstream's `WebhookClientConfig`, resolved to a URL. */
export interface Recipient {
  readonly url: string;
  /** The Service of this cluster that is the URL's host. */
  readonly service?: ServiceAddress | undefined;
  /** The certificate authority of the recipient as base64 of PEM, if it is not a public one. */
  readonly caBundle?: string | undefined;
  /** Whether any certificate of the recipient is accepted (upstream's `insecureSkipTLSVerify`). */
  readonly insecure?: boolean | undefined;
  /** Whether the recipient serves an aggregated API: it receives the cluster's client certificate if the connection can carry it. */
  readonly isAggregated?: boolean | undefined;
}

export interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The response of the recipient, or the error in the words of Go's HTTP client. */
export type OutboundAnswer =
  | { readonly ok: true; readonly status: number; readonly body: string; readonly contentType?: string }
  | { readonly ok: false; readonly message: string };

/** Any request that leaves the cluster, such as a proxied one. */
export interface OutsideRequest {
  readonly to: Recipient;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** `message`: the error as Go's HTTP client words it, without the address. */
export type OutsideAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: Headers; readonly body: Uint8Array }
  | { readonly ok: false; readonly message: string };

/** Returns the key of a call. Calls with equal keys are made once. */
export function keyOfCall({ to, body, timeoutMs, method, headers }: OutboundCall): string {
  return JSON.stringify([to, body, timeoutMs, method, headers]);
}

/**
 * Ends synchronous code that needs answers from outside. It is no error, and nothing between the code and the caller of the turn may catch
 * it.
 */
export class PendingCalls extends Error {
  readonly calls: readonly OutboundCall[];
  constructor(calls: readonly OutboundCall[]) {
    super(`${calls.length} calls have no answer yet`);
    this.calls = calls;
  }
}

/** Ends a turn so that others can run. No call is made: results so far are kept, and the body runs again. */
export class AnotherTurn extends PendingCalls {
  constructor() {
    super([]);
  }
}

/** Returns the answers to all calls, or throws `PendingCalls` with those that are missing. */
export function answersFrom(
  answers: ReadonlyMap<string, OutboundAnswer>,
  calls: readonly OutboundCall[],
): OutboundAnswer[] {
  const missing = calls.filter((call) => !answers.has(keyOfCall(call)));
  if (missing.length > 0) throw new PendingCalls(missing);
  return calls.flatMap((call) => answers.get(keyOfCall(call)) ?? []);
}
