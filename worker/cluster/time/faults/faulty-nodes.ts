// The faults of a cluster's nodes and of the registries, as the kubelets see them.
import type { FaultAction } from "../../../../shared/contract/cluster/faults.ts";
import type { Container, Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { parseImage } from "../../../containers/images/reference.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { NodeFaults, Pressure, PullFault } from "../../../kubelet/node-faults.ts";
import type { FaultEngine } from "./engine.ts";
import { type ActiveFault, readPullsFailed } from "./fault-record.ts";

type PullFailure = Extract<FaultAction, { pull: string }>["pull"];

const pressures = { diskPressure: "DiskPressure", memoryPressure: "MemoryPressure" } as const;

export class FaultyNodes implements NodeFaults {
  readonly #engine: FaultEngine;

  constructor(engine: FaultEngine) {
    this.#engine = engine;
  }

  isRuntimeDown(node: string): boolean {
    return this.#hasNodeFault(node, (state) => state === "notReady");
  }

  hasPressure(node: string, condition: Pressure): boolean {
    return this.#hasNodeFault(
      node,
      (state) => state in pressures && pressures[state as keyof typeof pressures] === condition,
    );
  }

  pullFault(pod: Pod, container: Container, beginMs: number): PullFault | undefined {
    if (this.#engine.isIdle) return undefined;
    const entries = this.#pullFaults(pod, container).filter((entry) => isEffective(entry, beginMs));
    if (entries.length === 0) return undefined;
    const failing = entries.find(({ fault: { action } }) => "pull" in action);
    const delays = entries.flatMap(({ fault: { action } }) => ("pullDelay" in action ? [action.pullDelay] : []));
    return {
      error:
        failing && "pull" in failing.fault.action
          ? pullError(failing.fault.action.pull, container.image ?? "")
          : undefined,
      delayMs: Math.max(0, ...delays),
      inject: () => this.#inject(entries, pod, container),
    };
  }

  pullsFailedUntilMs(pod: Pod, container: Container): number {
    const times = this.#pullFaults(pod, container).flatMap(({ fault: { action }, progress: { untilMs = 0 } }) =>
      "pull" in action ? [untilMs] : [],
    );
    return Math.max(readPullsFailed(this.#engine.sql), ...times);
  }

  #hasNodeFault(node: string, selects: (state: Extract<FaultAction, { node: string }>["node"]) => boolean): boolean {
    if (this.#engine.isIdle) return false;
    return this.#engine.active.some(
      ({ fault: { action, selector } }) => "node" in action && selects(action.node) && (selector.name ?? node) === node,
    );
  }

  /** Returns the faults that hit pulls of a container, at any time. */
  #pullFaults(pod: Pod, { name, image = "" }: Container): ActiveFault[] {
    const { namespace, name: podName, uid = "" } = pod.metadata;
    return this.#engine.all.filter((entry) => {
      const { action, selector } = entry.fault;
      return (
        ("pull" in action || "pullDelay" in action) &&
        (selector.namespace ?? namespace) === namespace &&
        (selector.name ?? podName) === podName &&
        image.startsWith(action.image ?? "") &&
        this.#engine.isInShare(entry, `${uid}/${name}`)
      );
    });
  }

  #inject(entries: readonly ActiveFault[], pod: Pod, { image = "" }: Container): void {
    const { namespace = "", name = "" } = pod.metadata;
    for (const entry of entries) {
      const { action } = entry.fault;
      const effect = "pullDelay" in action ? `takes ${action.pullDelay} ms longer` : "fails";
      this.#engine.noteEffect(entry, `the pull of ${image} ${effect}`, { resource: pods.resource, namespace, name });
    }
  }
}

/** Reports whether a fault hits a pull. A registry that is slow finishes its answers slowly after the fault has ended. */
function isEffective({ fault: { action }, progress }: ActiveFault, beginMs: number): boolean {
  if (progress.state === "active") return true;
  if (progress.state === "waiting" || !("pullDelay" in action)) return false;
  return progress.sinceMs <= beginMs && beginMs < (progress.untilMs ?? 0);
}

/** Returns containerd's error, without the reference. */
function pullError(failure: PullFailure, image: string): string {
  const reference = parseImage(image);
  if ("error" in reference) return reference.error;
  const [host = "", ...path] = reference.name.split("/");
  const server = host === "docker.io" ? "registry-1.docker.io" : host;
  const url = `https://${server}/v2/${path.join("/")}/manifests/${reference.tag ?? reference.digest ?? ""}`;
  switch (failure) {
    case "timeout":
      return `failed to do request: Head "${url}": net/http: TLS handshake timeout`;
    case "denied":
      return "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed";
    case "tooManyRequests":
      return `unexpected status from HEAD request to ${url}: 429 Too Many Requests`;
    case "unavailable":
      return `unexpected status from HEAD request to ${url}: 503 Service Unavailable`;
  }
}
