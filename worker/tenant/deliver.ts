// Sends an event to a webhook: by HTTPS, to a public address, without following redirects. Only the status of the response is read.
import { fetchFailure, platformFailure } from "../../shared/base/fetch-failures.ts";
import { base64Of } from "../../shared/base/base64.ts";
import { limits } from "../../shared/base/limits.ts";
import { type Secret, secretValues } from "../../shared/base/secret.ts";
import { isPublicHost } from "../../shared/base/public-host.ts";
import { hostTransport } from "../cluster/outside/transports.ts";
import { signedHeaders, webhookSecret } from "./signature.ts";
import type { DueDelivery, AttemptResult } from "./webhooks.ts";

export interface DeliverOptions {
  /** The service's secret. */
  readonly secret: Secret;
  /** The Node.js process beside a Worker on a user's machine, with which private addresses can be called. */
  readonly node?: Fetcher | undefined;
  nowMs(): number;
}

/** Sends an event. Never rejects: a failure is a result. */
export async function deliver(sending: DueDelivery, { secret, node, nowMs }: DeliverOptions): Promise<AttemptResult> {
  const { id, receiver, url: text, body } = sending;
  const url = new URL(text);
  // The address was checked when it was stored, but this version may classify more addresses as private.
  if (!node && !isPublicHost(url.hostname)) return { error: "the address is not public" };
  const keys = secretValues(secret).map((value) => webhookSecret(value, receiver));
  const headers = signedHeaders(keys, id, Math.floor(nowMs() / 1000), body);
  return node ? throughNode(node, url, headers, body) : directly(url, headers, body);
}

async function directly(url: URL, headers: Record<string, string>, body: string): Promise<AttemptResult> {
  try {
    const signal = AbortSignal.timeout(limits.deliveryMs);
    const answer = await fetch(url.href, { method: "POST", headers, body, redirect: "manual", signal });
    await answer.body?.cancel();
    // Statuses with which Cloudflare itself answers for an unreachable server are failures, not responses.
    const failure = platformFailure(answer.status, { hasOwnTrust: false });
    return failure === undefined ? { status: answer.status } : { error: failure };
  } catch (error) {
    return { error: fetchFailure(error) };
  }
}

async function throughNode(
  node: Fetcher,
  url: URL,
  headers: Record<string, string>,
  body: string,
): Promise<AttemptResult> {
  const answer = await hostTransport(node)({
    // An id lets a call be cancelled, which a delivery never is.
    id: "",
    origin: url.origin,
    path: url.pathname + url.search,
    serverName: url.hostname,
    method: "POST",
    headers: Object.entries(headers),
    body: base64Of(new TextEncoder().encode(body)),
    timeoutMs: limits.deliveryMs,
  });
  return "error" in answer ? { error: answer.error } : { status: answer.status };
}
