// Upgraded connections to the kubelet of a machine: exec, attach and port-forward. The kubelet's end is SPDY, which every kubelet serves.
// The edge translates between it and the client's WebSocket, as upstream's API server does.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ApiRequest } from "../api-request.ts";
import {
  backendError,
  joined,
  kubeletCall,
  podPath,
  type RealKubelet,
  realKubeletOf,
  requireTunnel,
} from "./kubelet-connection.ts";
import { notUpgraded } from "./session.ts";
import type { StreamOptions } from "./stream-options.ts";

const spdy = "SPDY/3.1";
const protocols = {
  portForward: ["portforward.k8s.io"],
  remoteCommand: ["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"],
} as const;

/** Returns the kubelet of a pod on a machine; undefined if it is simulated. Throws the dial error if the machine has no tunnel. */
export function requireReachable(req: ApiRequest, { spec }: Pod): RealKubelet | undefined {
  const kubelet = realKubeletOf(req, spec.nodeName ?? "");
  if (kubelet) requireTunnel(req, kubelet, backendError);
  return kubelet;
}

/** Returns the path of a command's session on the kubelet, with the names that it gives the options. */
export function sessionPath(
  subresource: "exec" | "attach",
  pod: Pod,
  container: string,
  { stdin, stdout, stderr, tty, command }: StreamOptions,
): string {
  const query = new URLSearchParams();
  for (const [name, isSet] of Object.entries({ input: stdin, output: stdout, error: stderr, tty })) {
    if (isSet) query.set(name, "1");
  }
  for (const word of command) query.append("command", word);
  return `${podPath(subresource, pod, container)}?${query.toString()}`;
}

/** Connects a session of the edge to the kubelet. Returns the 101 response, whose socket carries the bytes of the SPDY connection. */
export function sessionOnMachine(req: ApiRequest, kubelet: RealKubelet, path: string): Response {
  req.server.load.sessions.requireRoom();
  if (req.request.headers.get(internalHeaders.session) !== "open") throw notUpgraded(req);
  const versions = path.startsWith("/portForward/") ? protocols.portForward : protocols.remoteCommand;
  const headers = versions.map((version): [string, string] => ["X-Stream-Protocol-Version", version]);
  const call = kubeletCall(kubelet, path, { method: "POST", upgrade: spdy, headers });
  return joined(req, kubelet, call, backendError);
}
