// `kubectl port-forward`: passes each port to the page, which shows it.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { type Command, usageError } from "../command.ts";
import { durationFlag, stringsFlag } from "../flag.ts";
import { listAt, nameOf, namespaceOf, numberAt, stringAt, textOf } from "../object.ts";
import { objectNamed, podsOf } from "../resources/pods.ts";

export const portForward: Command = {
  name: "port-forward",
  use: "TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N] [options]",
  short: "Forward one or more local ports to a pod",
  completes: "pods",
  flags: [
    stringsFlag("address", "Addresses to listen on (comma separated)."),
    durationFlag("pod-running-timeout", "The length of time to wait until at least one pod is running", {
      default: "1m0s",
    }),
  ],
  run: async (call) => {
    const [name, ...ports] = call.args;
    if (name === undefined || ports.length === 0)
      throw usageError(call, "TYPE/NAME and list of ports are required for port-forward");
    const object = await objectNamed(call, name);
    // kubectl chooses the pod as for `attach`. It waits for one for a time and then fails with this message; we do not wait.
    const [pod] = await podsOf(call, object, "attach");
    if (!pod) throw new Error("timed out waiting for the condition");
    const phase = stringAt(pod, "status", "phase");
    if (phase !== "Running")
      throw new Error(`unable to forward port because pod is not running. Current status=${phase}`);
    const forwardedPorts = ports.map((text) => portsOf(text, object, pod));
    const { forward } = call.surroundings;
    if (!forward) throw new Error("ports cannot be forwarded here");
    await Promise.all(
      forwardedPorts.map(async ({ local, remote }) => {
        call.streams.out(`Forwarding from 127.0.0.1:${local} -> ${remote}\n`);
        const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}:${remote}/proxy`;
        await forward({ local, path }, call.streams.signal);
      }),
    );
  },
};

function portsOf(text: string, object: JsonObject, pod: JsonObject): { local: number; remote: number } {
  const [first = "", second] = text.split(":");
  const portName = second ?? first;
  const remote = remotePort(portName, object, pod);
  const local = second === undefined ? (/^\d+$/.test(first) ? Number(first) : remote) : Number(first || remote);
  if (!Number.isInteger(local))
    throw new Error(
      `error parsing local port '${first}': strconv.ParseUint: parsing ${JSON.stringify(first)}: invalid syntax`,
    );
  return { local, remote };
}

function remotePort(portName: string, object: JsonObject, pod: JsonObject): number {
  if (object.kind === "Service") {
    const port = listAt(object, "spec", "ports").find(
      (port) => String(port.port as number) === portName || textOf(port.name) === portName,
    );
    if (!port) throw new Error(`Service ${nameOf(object)} does not have a service port ${portName}`);
    const target = port.targetPort ?? port.port;
    return typeof target === "number" ? target : namedPort(pod, String(target));
  }
  return /^\d+$/.test(portName) ? Number(portName) : namedPort(pod, portName);
}

function namedPort(pod: JsonObject, name: string): number {
  const ports = listAt(pod, "spec", "containers").flatMap((container) => listAt(container, "ports"));
  const namedPort = ports.find((port) => textOf(port.name) === name);
  if (!namedPort) throw new Error(`Pod '${nameOf(pod)}' does not have a named port '${name}'`);
  return numberAt(namedPort, "containerPort") ?? 0;
}
