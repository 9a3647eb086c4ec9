// Requests to a sandbox's Kubernetes API, which trust the authority of its kubeconfig.
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import type { Target } from "../tunnel/kubeconfig.ts";

const timeoutMs = 30_000;

/** Returns the object that answers a request; undefined if it does not exist. Throws an error with the reason of a refusal. */
export async function askSandbox(
  { server, token, ca, insecure }: Target,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<unknown> {
  const url = new URL(`${server}${path}`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === "http:" ? httpRequest : httpsRequest)(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: !insecure,
    signal: AbortSignal.timeout(timeoutMs),
  });
  request.once("response", resolve);
  request.once("error", reject);
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await promise;
  const answer = await text(response);
  const value = parseJson(answer);
  const { statusCode = 0 } = response;
  // A proxy's answer is no JSON, and its 404 does not mean that the object does not exist.
  if (value === undefined) throw new Error(`${url.origin} answers ${statusCode} without JSON: ${answer.slice(0, 200)}`);
  if (statusCode === 404) return undefined;
  if (statusCode >= 300) throw new Error(`the sandbox answers ${statusCode}: ${String(value.message)}`);
  return value;
}

function parseJson(answer: string): { readonly message?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
