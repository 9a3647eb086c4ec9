// The two ways by which a request goes out: the platform's own fetch, or, on a user's machine, Node beside the Worker, which trusts
// the authorities that the request brings.
import { bodyFailure, fetchFailure, platformFailure } from "../../../shared/base/fetch-failures.ts";
import { joinBytes } from "../../../shared/base/byte-text.ts";
import { limits } from "../../../shared/base/limits.ts";
import { type DirectCall, tunnelAnswer } from "../../../shared/contract/tunnel.ts";
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";
import { bytesOfBase64 } from "../../../shared/base/base64.ts";

export type TransportAnswer =
  | { readonly status: number; readonly headers: Pairs; readonly body: Uint8Array }
  | { readonly error: string };

/** Milliseconds that Node may take beside what it asks. */
const graceMs = 1000;

/** Never rejects. */
export type Transport = (question: DirectCall) => Promise<TransportAnswer>;

export const fetchTransport: Transport = async ({
  origin,
  path,
  method,
  headers,
  body,
  timeoutMs,
  caBundle,
  insecure,
}) => {
  let hasBegun = false;
  try {
    const response = await fetch(origin + path, {
      method,
      // One header of several values is what the platform sends.
      headers: new Headers(headers.map(([name, value]) => [name, value])),
      ...(body === "" ? {} : { body: bytesOfBase64(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const failure = platformFailure(response.status, { hasOwnTrust: Boolean(caBundle) || insecure === true });
    if (failure) {
      await response.body?.cancel();
      return { error: failure };
    }
    hasBegun = true;
    const bytes = await bounded(response);
    if (!bytes) return { error: tooLong() };
    return { status: response.status, headers: [...response.headers], body: bytes };
  } catch (error) {
    const why = fetchFailure(error);
    return { error: hasBegun ? bodyFailure(why) : why };
  }
};

/** `node` answers a `DirectCall` with a `TunnelAnswer`. */
export function hostTransport(node: { fetch(url: string, init: RequestInit): Promise<Response> }): Transport {
  return async (question) => {
    try {
      const response = await node.fetch("http://node/", {
        method: "POST",
        body: JSON.stringify(question),
        // Node keeps the time; this is for a Node that does not.
        signal: AbortSignal.timeout(question.timeoutMs + graceMs),
      });
      const answer = tunnelAnswer.parse(await response.json());
      return "error" in answer ? answer : { ...answer, body: bytesOfBase64(answer.body) };
    } catch (error) {
      return { error: fetchFailure(error) };
    }
  };
}

export function tooLong(): string {
  return `the answer is longer than ${limits.outsideAnswerBytes} bytes`;
}

async function bounded(response: Response): Promise<Uint8Array | undefined> {
  if (!response.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // A body is bytes.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limits.outsideAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return joinBytes(chunks, length);
}
