// pods/{name}/portforward: what a pod answers at its ports. The client's connections end at the edge, which asks here for each request.
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
import { uncached } from "../present/present.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { admitConnection, requireCreate } from "./admission.ts";
import { backendError, requireSimulatedKubelet } from "./kubelet-connection.ts";
import { sessionBegins, sessionGoesOn } from "./open-sessions.ts";
import { podOf } from "./pod-of.ts";
import { kubeletError } from "./session.ts";
import { optionsObject } from "./stream-options.ts";

/** Of one pod, whatever its name is given to later. */
type Step = ForwardStep & Pick<ForwardOpened, "uid">;

/** Each has two channels, and a byte says which: 255 is none. */
const mostPorts = 127;

export async function portForward(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const session = req.request.headers.get(internalHeaders.session);
  if (session === "step") return stepped(req, kind, info);
  const ports = portsOf(req.url.searchParams);
  await admitConnection(req, kind, info, optionsObject("PodPortForwardOptions", { ports }));
  requireCreate(req, kind, info);
  const pod = podOf(req.server.registry, kind, info);
  if (!pod.spec.nodeName) throw ApiError.badRequest(`pod ${info.name} does not have a host assigned`);
  requireSimulatedKubelet(req, pod, backendError);
  const { uid = "" } = pod.metadata;
  const protocol = session === "open" ? protocolOf(req) : undefined;
  const problem = session === "open" && protocol !== forwardProtocols.tunnel ? problemOf(ports) : undefined;
  if (problem !== undefined) return kubeletError(problem, 400);
  if (!pod.status.podIP) {
    return kubeletError(`failed to find sandboxID for pod ${info.name}_${info.namespace}(${uid})`);
  }
  // A client that was refused over a WebSocket tries again without, and shows what it is told then.
  req.server.load.sessions.requireRoom();
  if (session !== "open") throw notUpgraded(req);
  // The runtime's answer to a handshake about protocols that it does not know.
  if (protocol === undefined) return new Response(null, { status: 403, headers: uncached });
  sessionBegins(req);
  const opened: ForwardOpened = { uid, protocol, ports };
  return Response.json(opened, { headers: uncached });
}

/** As upstream reads the options of a connection: several, or several in one with commas between. */
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

/** Why there can be no channels for these ports, in the kubelet's words, which names the parameter otherwise. */
function problemOf(ports: readonly number[]): string | undefined {
  if (ports.length === 0) return 'query parameter "port" is required';
  if (ports.includes(0)) return `port "${ports.join(",")}" must be > 0`;
  return ports.length > mostPorts ? `at most ${mostPorts} ports can be forwarded over one connection` : undefined;
}

/** A tunnel if the client offers one; else the first that it names, and that is known. */
function protocolOf({ request }: ApiRequest): string | undefined {
  const asked = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  const { tunnel, ...channels } = forwardProtocols;
  const known: readonly string[] = Object.values(channels);
  return asked.includes(tunnel) ? tunnel : asked.find((one) => known.includes(one));
}

async function stepped(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  // Only the edge can ask for a step.
  const step = JSON.parse(text(await readBody(req.request))) as Step;
  sessionGoesOn(req);
  const { registry, containers } = req.server;
  // It is of the kind that was asked for.
  const pod = read(registry, kind, info.namespace, info.name) as Pod | undefined;
  const isSame = pod !== undefined && pod.metadata.uid === step.uid;
  const visit = { method: "GET", path: "/", headers: [], body: "", ...step };
  const answer = isSame ? await must(containers, "containers").answer(pod, step.port, visit) : undefined;
  const answered: ForwardStepped = answer ?? { refused: refusal(isSame ? pod : undefined, step) };
  return Response.json(answered, { headers: uncached });
}

/** In the words of the kubelet and of containerd, which call a pod by its sandbox's id. */
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

/** SPDY alone cannot be spoken here; clients that can put it into a WebSocket are told how. */
function notUpgraded({ request }: ApiRequest): ApiError {
  if (!request.headers.has("upgrade")) return ApiError.badRequest("Upgrade request required");
  return ApiError.badRequest(
    "this cluster forwards ports over WebSockets and not SPDY: use kubectl 1.31 or later, or set KUBECTL_PORT_FORWARD_WEBSOCKETS=true (1.30)",
  );
}
