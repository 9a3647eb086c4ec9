// The faults that are injected into simulated nodes, as their kubelets see them. Without faults each method returns at once.
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Request } from "../runtime/controller.ts";

export type Pressure = "MemoryPressure" | "DiskPressure";

/** The fault of a container's pull. */
export interface PullFault {
  /** The error, without the reference of the image. Undefined if the pull succeeds. */
  readonly error: string | undefined;
  /** The additional duration of the pull. */
  readonly delayMs: number;
  /** Records that the fault happened. */
  inject(): void;
}

export interface NodeFaults {
  /** Reports whether the container runtime of a node does not respond. */
  isRuntimeDown(node: string): boolean;
  hasPressure(node: string, condition: Pressure): boolean;
  /** Returns the fault of a pull that began at a time. */
  pullFault(pod: Pod, container: Container, beginMs: number): PullFault | undefined;
  /** Returns the time of the sandbox up to which a fault let pulls of the container fail; 0 if there was none. */
  pullsFailedUntilMs(pod: Pod, container: Container): number;
}

/** The end of a running container by the kernel. */
export interface Kill {
  readonly reason: "Error" | "OOMKilled";
  /** The name of the container. Undefined: all containers of the pod. */
  readonly container?: string;
}

/** Pseudo-namespace of requests to kill containers. No namespace has a slash in its name. */
const killed = "containers/killed";

/** Returns the request at which the kubelet ends containers of a pod. It is saved in the queue, so a lost process does not lose it. */
export function killRequest({ metadata: { namespace = "", name = "", uid = "" } }: Pod, kill: Kill): Request {
  return { namespace: killed, name: [namespace, name, uid, kill.reason, kill.container ?? ""].join("/") };
}

/** Returns the content of a request to kill containers; undefined for other requests. */
export function killIn(
  request: Request,
): { readonly pod: Request; readonly uid: string; readonly kill: Kill } | undefined {
  if (request.namespace !== killed) return undefined;
  const [namespace = "", name = "", uid = "", reason, container = ""] = request.name.split("/");
  const kill = { reason: reason === "OOMKilled" ? reason : "Error", ...(container ? { container } : {}) } as const;
  return { pod: { namespace, name }, uid, kill };
}
