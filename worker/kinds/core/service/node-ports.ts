// Allocates node ports and health check ports of Services. Allocated ports are read from the Services.
import type { Random } from "../../../../shared/base/random.ts";
import type { Service, ServicePort } from "../../../../shared/k8s/api/core-v1.ts";
import { invalid, path } from "../../../../shared/k8s/field.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { needsHealthCheck, needsNodePort, nodePortsOf, portsOf } from "./traits.ts";

const range = { first: 30_000, last: 32_767 };
/** The first port of the dynamic part. Upstream allocates the static part (86 ports) last. */
const dynamicFirst = 30_086;

/** The first port in a dry run, which does not search for a free one. */
const firstDryPort = 32_769;

export interface PortChoice {
  readonly random: Random;
  readonly dryRun: boolean;
}

export function allocateNodePorts(draft: Service, otherServices: Iterable<Service>, choice: PortChoice): void {
  const pool = new PortPool(otherServices, choice);
  if (draft.spec.type === "NodePort" || draft.spec.type === "LoadBalancer") fillNodePorts(draft, pool);
  if (needsHealthCheck(draft)) fillHealthCheckPort(draft, pool);
}

/** Allocates ports on an update. The Service keeps its ports. */
export function updateNodePorts(
  draft: Service,
  previous: Service,
  otherServices: Iterable<Service>,
  choice: PortChoice,
): void {
  const pool = new PortPool([...otherServices, previous], choice);
  const currentPorts = new Set(nodePortsOf(previous));
  if (draft.spec.type === "NodePort" || draft.spec.type === "LoadBalancer") refillNodePorts(draft, currentPorts, pool);
  if (needsHealthCheck(draft) && !needsHealthCheck(previous)) fillHealthCheckPort(draft, pool);
}

class PortPool {
  readonly #taken = new Set<number>();
  /** The ports that this write allocates. */
  readonly #allocated = new Set<number>();
  readonly #choice: PortChoice;

  constructor(services: Iterable<Service>, choice: PortChoice) {
    this.#choice = choice;
    for (const service of services) {
      for (const port of nodePortsOf(service)) this.#taken.add(port);
      if (service.spec.healthCheckNodePort) this.#taken.add(service.spec.healthCheckNodePort);
    }
  }

  /** Takes a requested port. Returns the error if it is not available. */
  take(port: number): string | undefined {
    if (!this.#choice.dryRun && (port < range.first || port > range.last)) {
      const ports = `${range.first}-${range.last}`;
      return `provided port is not in the valid range. The range of valid ports is ${ports}`;
    }
    if (this.#taken.has(port)) return "provided port is already allocated";
    this.#taken.add(port);
    this.#allocated.add(port);
    return undefined;
  }

  allocateNext(what: string): number {
    if (this.#choice.dryRun) {
      const port = this.#allocated.size === 0 ? firstDryPort : Math.max(...this.#allocated) + 1;
      this.#allocated.add(port);
      return port;
    }
    const port = this.#free(dynamicFirst, range.last) ?? this.#free(range.first, dynamicFirst - 1);
    if (port === undefined) throw ApiError.internal(`failed to allocate a ${what}: range is full`);
    this.#taken.add(port);
    return port;
  }

  #free(first: number, last: number): number | undefined {
    const count = last - first + 1;
    const start = Math.floor(this.#choice.random.next() * count);
    for (let step = 0; step < count; step++) {
      const candidate = first + ((start + step) % count);
      if (!this.#taken.has(candidate)) return candidate;
    }
    return undefined;
  }
}

function fillNodePorts(draft: Service, pool: PortPool): void {
  const ports = portsOf(draft);
  const allocatedByPort = new Map<number, number>();
  ports.forEach((port, at) => {
    if (!port.nodePort && !needsNodePort(draft)) return;
    const shared = allocatedByPort.get(port.port);
    if (shared === undefined) {
      const requestedPort = ports.find((candidate) => candidate.port === port.port && candidate.nodePort)?.nodePort;
      if (requestedPort) takeAsked(draft, at, requestedPort, pool);
      port.nodePort = requestedPort ?? pool.allocateNext("nodePort");
      allocatedByPort.set(port.port, port.nodePort);
    } else if (!port.nodePort) {
      // The same port with another protocol has the same node port.
      port.nodePort = shared;
    } else if (port.nodePort !== shared) {
      takeAsked(draft, at, port.nodePort, pool);
    }
  });
}

function refillNodePorts(draft: Service, currentPorts: ReadonlySet<number>, pool: PortPool): void {
  const usedKeys = new Set<string>();
  const taken = new Set<number>();
  portsOf(draft).forEach((port, at) => {
    if (!port.nodePort && !needsNodePort(draft)) return;
    if (!port.nodePort) port.nodePort = pool.allocateNext("nodePort");
    else if (!currentPorts.has(port.nodePort) && !taken.has(port.nodePort)) {
      takeAsked(draft, at, port.nodePort, pool);
      taken.add(port.nodePort);
    }
    const key = keyOf(port);
    if (usedKeys.has(key)) throw ApiError.badRequest(`duplicate nodePort: ${key}`);
    usedKeys.add(key);
  });
}

function keyOf({ protocol = "TCP", nodePort = 0 }: ServicePort): string {
  return `{${protocol} ${nodePort}}`;
}

function takeAsked(draft: Service, at: number, port: number, pool: PortPool): void {
  const problem = pool.take(port);
  if (!problem) return;
  throw ApiError.invalid({ group: "", name: "Service" }, draft.metadata.name ?? "", [
    invalid(path("spec", "ports").index(at).child("nodePort"), port, problem),
  ]);
}

function fillHealthCheckPort({ spec }: Service, pool: PortPool): void {
  const requestedPort = spec.healthCheckNodePort;
  const problem = requestedPort ? pool.take(requestedPort) : undefined;
  if (problem)
    throw ApiError.internal(`failed to allocate requested HealthCheck NodePort ${requestedPort}: ${problem}`);
  spec.healthCheckNodePort = requestedPort || pool.allocateNext("HealthCheck NodePort 0");
}
