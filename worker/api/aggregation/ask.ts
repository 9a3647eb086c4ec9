// Sends the aggregator's own requests to the servers of APIServices: GETs of discovery and OpenAPI.
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";
import type { ApiServer } from "../api-server.ts";
import { recipientOf } from "./remote.ts";

export interface ServerAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  text(): string;
}

const timeoutMs = 5000;

/** Sends a GET as `user`. Returns undefined if there is no response. */
export async function askServer(
  server: ApiServer,
  apiService: APIService,
  path: string,
  user: Pairs,
  more: Pairs = [],
): Promise<ServerAnswer | undefined> {
  const headers: Pairs = [["accept", "application/json"], ...user, ...more];
  const answer = await server.send?.({
    to: recipientOf(apiService, path),
    method: "GET",
    headers,
    body: new Uint8Array(),
    timeoutMs,
  });
  if (!answer?.ok) return undefined;
  const { status, body } = answer;
  const etag = answer.headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
  return { status, etag, text: () => new TextDecoder().decode(body) };
}

/** Parses JSON. Returns undefined if the text is invalid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
