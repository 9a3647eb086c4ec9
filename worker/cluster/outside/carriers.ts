// The two ways by which a request goes out: the platform's own fetch, or, on a user's machine, Node beside the Worker, which trusts
// the authorities that the request brings.
import { limits } from "../../../shared/base/limits.ts";
import { type DirectQuestion, tunnelAnswer } from "../../../shared/contract/tunnel.ts";
import type { Headers as Pairs } from "../../../shared/k8s/question.ts";
import { bytesOf } from "./base64.ts";

export type Carried =
  | { readonly status: number; readonly headers: Pairs; readonly body: Uint8Array }
  | { readonly error: string };

/** Never rejects. */
export type Carrier = (question: DirectQuestion) => Promise<Carried>;

export const deadlineExceeded = "context deadline exceeded";
const unknownAuthority = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
const onlyPublic =
  "the hosted service knows public authorities only: open a tunnel, whose end honours others; see docs/WEBHOOKS.md";

export const byFetch: Carrier = async ({ origin, path, method, headers, body, timeoutMs, caBundle, insecure }) => {
  try {
    const response = await fetch(origin + path, {
      method,
      // One header of several values is what the platform sends.
      headers: new Headers(headers.map(([name, value]) => [name, value])),
      ...(body === "" ? {} : { body: bytesOf(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const failure = platformFailure(response.status, Boolean(caBundle) || insecure === true);
    if (failure) {
      await response.body?.cancel();
      return { error: failure };
    }
    const bytes = await bounded(response);
    if (!bytes) return { error: tooLong() };
    return { status: response.status, headers: [...response.headers], body: bytes };
  } catch (error) {
    return { error: wordsOf(error) };
  }
};

/** `node` answers a `DirectQuestion` with a `TunnelAnswer`. */
export function byNode(node: { fetch(url: string, init: RequestInit): Promise<Response> }): Carrier {
  return async (question) => {
    try {
      const response = await node.fetch("http://node/", { method: "POST", body: JSON.stringify(question) });
      const answer = tunnelAnswer.parse(await response.json());
      return "error" in answer ? answer : { ...answer, body: bytesOf(answer.body) };
    } catch (error) {
      return { error: wordsOf(error) };
    }
  };
}

export function tooLong(): string {
  return `the answer is longer than ${limits.outsideAnswerBytes} bytes`;
}

/** What the platform answers in the place of a server that it could not reach. */
function platformFailure(status: number, bringsTrust: boolean): string | undefined {
  switch (status) {
    case 521:
      return "connect: connection refused";
    case 522:
    case 524:
      return "i/o timeout";
    case 523:
      return "connect: no route to host";
    case 525:
      return "remote error: tls: handshake failure";
    case 526:
      return bringsTrust ? `${unknownAuthority} (${onlyPublic})` : unknownAuthority;
    case 530:
      return "no such host";
    default:
      return undefined;
  }
}

async function bounded(response: Response): Promise<Uint8Array | undefined> {
  if (!response.body) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  // A body is bytes.
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > limits.outsideAnswerBytes) return undefined;
    parts.push(part);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "TimeoutError" || error.name === "AbortError" ? deadlineExceeded : error.message;
}
