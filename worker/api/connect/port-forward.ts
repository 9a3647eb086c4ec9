// pods/{name}/portforward: returns the responses of a pod's ports. The edge holds the client's connections and calls this for each request.
import { must } from "../../../shared/base/assert.ts";
import {
  type ForwardOpened,
  forwardProtocols,
  type ForwardStep,
  type ForwardStepped,
  internalHeaders,
} from "../../../shared/contract/cluster-object.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { read } from "../../registry/registry.ts";
import { readBody, text } from "../body/body.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { admitConnection, requireCreate } from "./admission.ts";
import { podPath } from "./kubelet-connection.ts";
import { requireReachable, sessionOnMachine } from "./kubelet-session.ts";
import { sessionBegins, sessionGoesOn } from "./open-sessions.ts";
import { podOf } from "./pod-of.ts";
import { kubeletError } from "./session.ts";
import { optionsObject } from "./stream-options.ts";

/** A step for one pod, identified by its uid. */
type Step = ForwardStep & Pick<ForwardOpened, "uid">;

/** The maximum number of ports. Each has two channels, and a byte identifies the channel. */
const mostPorts = 127;

export async function portForward(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const session = req.request.headers.get(internalHeaders.session);
  if (session === "step") return stepped(req, kind, info);
  const ports = portsOf(req.url.searchParams);
  await admitConnection(req, kind, info, optionsObject("PodPortForwardOptions", { ports }));
  requireCreate(req, kind, info);
  const pod = podOf(req.server.registry, kind, info);
  if (!pod.spec.nodeName) throw ApiError.badRequest(`pod ${info.name} does not have a host assigned`);
  const kubelet = requireReachable(req, pod);
  const protocol = session === "open" ? protocolOf(req) : undefined;
  const { uid = "" } = pod.metadata;
  const problem = session === "open" && protocol !== forwardProtocols.tunnel ? problemOf(ports) : undefined;
  if (problem !== undefined) return kubeletError(problem, 400);
  if (kubelet) return sessionOnMachine(req, kubelet, podPath("portForward", pod));
  if (!pod.status.podIP) {
    return kubeletError(`failed to find sandboxID for pod ${info.name}_${info.namespace}(${uid})`);
  }
  // A client that fails over WebSockets retries without them, and shows the error of the retry.
  req.server.load.sessions.requireRoom();
  if (session !== "open") throw notUpgraded(req);
  // The runtime's response to a handshake with unknown protocols.
  if (protocol === undefined) return new Response(null, { status: 403, headers: uncached });
  sessionBegins(req);
  const opened: ForwardOpened = { uid, protocol, ports };
  return Response.json(opened, { headers: uncached });
}

/** Parses the ports as upstream does: repeated options, or several ports in one option with commas. */
function portsOf(query: URLSearchParams): number[] {
  return query
    .getAll("ports")
    .flatMap((text) => text.split(","))
    .map((text) => {
      const problem = !/^\d+$/.test(text) ? "invalid syntax" : Number(text) > 65_535 ? "value out of range" : undefined;
      if (problem === undefined) return Number(text);
      const parsing = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${problem}`;
      throw ApiError.badRequest(`cannot convert to []int32: ${parsing}`);
    });
}

/** Returns the kubelet's error for invalid ports. It names the parameter differently. */
function problemOf(ports: readonly number[]): string | undefined {
  if (ports.length === 0) return 'query parameter "port" is required';
  if (ports.includes(0)) return `port "${ports.join(",")}" must be > 0`;
  return ports.length > mostPorts ? `at most ${mostPorts} ports can be forwarded over one connection` : undefined;
}

/** Returns the protocol: the tunnel if the client offers it, otherwise the first known one. */
function protocolOf({ request }: ApiRequest): string | undefined {
  const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((protocol) => protocol.trim());
  const { tunnel, ...channels } = forwardProtocols;
  const supported: readonly string[] = Object.values(channels);
  return offered.includes(tunnel) ? tunnel : offered.find((protocol) => supported.includes(protocol));
}

async function stepped(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  // Only the edge sends steps.
  const step = JSON.parse(text(await readBody(req.request))) as Step;
  sessionGoesOn(req);
  const { registry, containers } = req.server;
  // The object has the requested kind.
  const pod = read(registry, kind, info.namespace, info.name) as Pod | undefined;
  const isSame = pod !== undefined && pod.metadata.uid === step.uid;
  const visit = { method: "GET", path: "/", headers: [], body: "", ...step };
  const answer = isSame ? await must(containers, "containers").answer(pod, step.port, visit) : undefined;
  const answered: ForwardStepped = answer ?? { refused: refusal(isSame ? pod : undefined, step) };
  return Response.json(answered, { headers: uncached });
}

/** Returns the error in the words of the kubelet and containerd, which identify a pod by its sandbox id. */
function refusal(pod: Pod | undefined, { port, uid }: Step): string {
  const sandbox = uid.replaceAll("-", "").repeat(2);
  return `error forwarding port ${port} to pod ${sandbox}, uid : ${reason(pod, sandbox, port, uid)}`;
}

function reason(pod: Pod | undefined, sandbox: string, port: number, uid: string): string {
  if (!pod) return `failed to find sandbox "${sandbox}" in store: not found`;
  if (pod.status.phase === "Succeeded" || pod.status.phase === "Failed") {
    return `sandbox container "${sandbox}" is not running`;
  }
  const namespace = pod.spec.hostNetwork ? "host" : `/var/run/netns/cni-${uid}`;
  const addresses = `IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6 [::1]:${port}: connect: connection refused `;
  return `failed to execute portforward in network namespace "${namespace}": failed to connect to localhost:${port} inside namespace "${sandbox}", ${addresses}`;
}

/** Returns the error for SPDY without WebSockets. It tells clients how to tunnel SPDY through a WebSocket. */
function notUpgraded({ request }: ApiRequest): ApiError {
  if (!request.headers.has("upgrade")) return ApiError.badRequest("Upgrade request required");
  return ApiError.badRequest(
    "this cluster forwards ports over WebSockets and not SPDY: use kubectl 1.31 or later, or set KUBECTL_PORT_FORWARD_WEBSOCKETS=true (1.30)",
  );
}
