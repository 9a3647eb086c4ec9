// Requests to the kubelet of a machine that is a node (upstream: pkg/kubelet/client). They go through the tunnel that the node has opened.
// The edge carries the response: a request is answered with directions, and repeated to join the tunnel (`internalHeaders.outside`).
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { Directions } from "../../../shared/contract/tunnel.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { KubeletCall } from "../api-server.ts";
import type { ApiRequest } from "../api-request.ts";
import { uncached } from "../negotiation/answer-headers.ts";

/** A kubelet of a machine. */
export interface RealKubelet {
  readonly node: string;
  /** The address by which an API server dials it: `host:port`. */
  readonly address: string;
}

/** Returns the error of a kubelet that cannot be dialed. */
export type DialFailure = (dialError: string) => ApiError;

/** The time within which a kubelet must start to respond. A silent log that is followed has no first byte for long. */
const timeoutMs = 60_000;
const longestMs = 4 * 3600 * 1000;

const failedPrefix = "failed ";
const answeredPrefix = "answered ";

/** Returns the kubelet of a node; undefined if it is simulated. Throws NotFound if the node does not exist. */
export function realKubeletOf({ server }: ApiRequest, node: string): RealKubelet | undefined {
  const address = server.containers?.realKubelet(node);
  return address === undefined ? undefined : { node, address };
}

/** Throws the dial error if the node has no tunnel. */
export function requireTunnel({ server }: ApiRequest, { node, address }: RealKubelet, failure: DialFailure): void {
  if (!server.tunnels?.hasNode(node)) throw failure(`dial tcp ${address}: connect: no route to host`);
}

/** Returns the call of a GET, or of a connection that is upgraded. */
export function kubeletCall(
  { address }: RealKubelet,
  path: string,
  more: Partial<Pick<KubeletCall, "method" | "headers" | "body" | "upgrade">> & { readonly isLong?: boolean } = {},
): KubeletCall {
  const { isLong = false, ...replaced } = more;
  const waitMs = isLong ? longestMs : timeoutMs;
  return { method: "GET", path, serverName: address, headers: [], body: "", timeoutMs: waitMs, ...replaced };
}

/**
 * Answers a GET by the kubelet's response, which the edge streams. With `worded` error responses of the kubelet are worded here, as upstream
 * does for logs.
 */
export function streamed(
  req: ApiRequest,
  kubelet: RealKubelet,
  call: KubeletCall,
  { failure, worded }: { readonly failure: DialFailure; readonly worded?: (status: number, text: string) => ApiError },
): Response {
  const direction = req.request.headers.get(internalHeaders.outside) ?? "";
  requireTunnel(req, kubelet, failure);
  if (direction.startsWith(failedPrefix)) throw failure(decodeURIComponent(direction.slice(failedPrefix.length)));
  if (worded && direction.startsWith(answeredPrefix)) {
    const [, status = "", text = ""] = direction.split(" ");
    throw worded(Number(status), decodeURIComponent(text));
  }
  if (direction === "join") return joined(req, kubelet, call, failure);
  const directions: Directions = { way: "tunnel", timeoutMs: call.timeoutMs, ...(worded ? { wordsErrors: true } : {}) };
  return Response.json(directions, { headers: { [internalHeaders.outside]: "here", ...uncached } });
}

/** Joins the tunnel. Returns the 101 response, whose socket carries the kubelet's response in parts. */
export function joined(req: ApiRequest, kubelet: RealKubelet, call: KubeletCall, failure: DialFailure): Response {
  const { server, credential } = req;
  server.sockets?.requireQuota();
  const answer = server.tunnels?.streamNode(kubelet.node, { ...call, stream: true }, credential);
  if (!answer) throw failure("EOF");
  return answer;
}

/** Returns the path of a pod's subresource on its kubelet. */
export function podPath(subresource: string, { metadata }: Pod, container?: string): string {
  const names = [metadata.namespace ?? "", metadata.name ?? "", ...(container === undefined ? [] : [container])];
  return `/${subresource}/${names.map(encodeURIComponent).join("/")}`;
}

/** The dial error of an upgraded connection: exec, attach and port-forward. As upstream, it has no reason. */
export const backendError: DialFailure = (dialError) => new ApiError(500, "", `error dialing backend: ${dialError}`);
