// Calls an outside server by the platform's fetch, or by the Node.js process beside the Worker, which accepts the certificate authorities
// of the request.
import { fetchFailure, platformFailure } from "../../../shared/base/fetch-failures.ts";
import { type DirectCall, nodeHeaders } from "../../../shared/contract/tunnel.ts";
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";
import { type Answered, type Failed, patience } from "./carried.ts";

/** The Node.js process beside the Worker; see `nodeHeaders`. */
export interface LocalNode {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

interface Asking {
  readonly upgrade: boolean;
  readonly signal: AbortSignal;
  readonly node?: LocalNode | undefined;
}

/** `headers` are those of the client. */
export async function askDirectly(
  call: DirectCall,
  headers: Headers,
  { upgrade, signal, node }: Asking,
): Promise<Answered | Failed> {
  const { signal: enough, begun } = patience(signal, call.timeoutMs);
  const protocol = headers.get("sec-websocket-protocol");
  const upgrading: Pairs = upgrade
    ? [["upgrade", "websocket"], ...(protocol ? [["sec-websocket-protocol", protocol] as const] : [])]
    : [];
  try {
    return await (node ? byNode(node, call, upgrading, enough) : byFetch(call, upgrading, enough));
  } catch (error) {
    return { error: fetchFailure(error) };
  } finally {
    begun();
  }
}

async function byFetch(
  { origin, path, method, headers, caBundle, insecure }: DirectCall,
  upgrading: Pairs,
  signal: AbortSignal,
): Promise<Answered | Failed> {
  const sent = new Headers([...headers, ...upgrading].map(([name, value]) => [name, value]));
  const response = await fetch(origin + path, { method, headers: sent, redirect: "manual", signal });
  const failure = platformFailure(response.status, { hasOwnTrust: Boolean(caBundle) || insecure === true });
  if (failure) {
    await response.body?.cancel();
    return { error: failure };
  }
  return {
    status: response.status,
    headers: [...response.headers],
    body: response.body,
    socket: response.webSocket ?? undefined,
  };
}

async function byNode(
  node: LocalNode,
  call: DirectCall,
  upgrading: Pairs,
  signal: AbortSignal,
): Promise<Answered | Failed> {
  const encodedCall = JSON.stringify(call);
  const response =
    upgrading.length > 0
      ? await node.fetch("http://node/stream", {
          headers: new Headers(
            [...upgrading, [nodeHeaders.call, encodeURIComponent(encodedCall)]].map(([name = "", value = ""]) => [
              name,
              value,
            ]),
          ),
          signal,
        })
      : await node.fetch("http://node/stream", { method: "POST", body: encodedCall, signal });
  const error = response.headers.get(nodeHeaders.error);
  if (error !== null) return { error: decodeURIComponent(error) };
  if (response.webSocket)
    return { status: 101, headers: [...response.headers], body: null, socket: response.webSocket };
  // The Node.js process wrote the JSON.
  const begun = JSON.parse(decodeURIComponent(response.headers.get(nodeHeaders.answer) ?? "")) as Pick<
    Answered,
    "status" | "headers"
  >;
  return { ...begun, body: response.body };
}
