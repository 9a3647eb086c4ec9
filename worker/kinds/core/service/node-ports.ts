// Which node ports a Service gets, and its port for health checks. What is taken is read from the Services themselves.
import type { Random } from "../../../../shared/base/random.ts";
import type { Service, ServicePort } from "../../../../shared/k8s/api/core-v1.ts";
import { invalid, path } from "../../../../shared/k8s/field.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { needsHealthCheck, needsNodePort, nodePortsOf, portsOf } from "./traits.ts";

const range = { first: 30_000, last: 32_767 };
/** Upstream keeps the first 86 ports for static use: it gives them last. */
const dynamicFirst = 30_086;

/** A dry run's first port: it looks for none that is free. */
const firstDryPort = 32_769;

export interface PortChoice {
  readonly random: Random;
  readonly dryRun: boolean;
}

export function allocateNodePorts(draft: Service, others: Iterable<Service>, choice: PortChoice): void {
  const pool = new PortPool(others, choice);
  if (draft.spec.type === "NodePort" || draft.spec.type === "LoadBalancer") fillNodePorts(draft, pool);
  if (needsHealthCheck(draft)) fillHealthCheckPort(draft, pool);
}

/** The same on an update: what the Service has already stays its own. */
export function updateNodePorts(
  draft: Service,
  previous: Service,
  others: Iterable<Service>,
  choice: PortChoice,
): void {
  const pool = new PortPool([...others, previous], choice);
  const own = new Set(nodePortsOf(previous));
  if (draft.spec.type === "NodePort" || draft.spec.type === "LoadBalancer") refillNodePorts(draft, own, pool);
  if (needsHealthCheck(draft) && !needsHealthCheck(previous)) fillHealthCheckPort(draft, pool);
}

class PortPool {
  readonly #taken = new Set<number>();
  /** What this write takes. */
  readonly #own = new Set<number>();
  readonly #choice: PortChoice;

  constructor(services: Iterable<Service>, choice: PortChoice) {
    this.#choice = choice;
    for (const service of services) {
      for (const port of nodePortsOf(service)) this.#taken.add(port);
      if (service.spec.healthCheckNodePort) this.#taken.add(service.spec.healthCheckNodePort);
    }
  }

  /** What speaks against a port that was asked for; takes it if nothing does. */
  take(port: number): string | undefined {
    if (!this.#choice.dryRun && (port < range.first || port > range.last)) {
      const ports = `${range.first}-${range.last}`;
      return `provided port is not in the valid range. The range of valid ports is ${ports}`;
    }
    if (this.#taken.has(port)) return "provided port is already allocated";
    this.#taken.add(port);
    this.#own.add(port);
    return undefined;
  }

  allocateNext(what: string): number {
    if (this.#choice.dryRun) {
      const port = this.#own.size === 0 ? firstDryPort : Math.max(...this.#own) + 1;
      this.#own.add(port);
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
  const given = new Map<number, number>();
  ports.forEach((port, at) => {
    if (!port.nodePort && !needsNodePort(draft)) return;
    const shared = given.get(port.port);
    if (shared === undefined) {
      const asked = ports.find((one) => one.port === port.port && one.nodePort)?.nodePort;
      if (asked) takeAsked(draft, at, asked, pool);
      port.nodePort = asked ?? pool.allocateNext("nodePort");
      given.set(port.port, port.nodePort);
    } else if (!port.nodePort) {
      // The same port over another protocol has the same node port.
      port.nodePort = shared;
    } else if (port.nodePort !== shared) {
      takeAsked(draft, at, port.nodePort, pool);
    }
  });
}

function refillNodePorts(draft: Service, own: ReadonlySet<number>, pool: PortPool): void {
  const seen = new Set<string>();
  const taken = new Set<number>();
  portsOf(draft).forEach((port, at) => {
    if (!port.nodePort && !needsNodePort(draft)) return;
    if (!port.nodePort) port.nodePort = pool.allocateNext("nodePort");
    else if (!own.has(port.nodePort) && !taken.has(port.nodePort)) {
      takeAsked(draft, at, port.nodePort, pool);
      taken.add(port.nodePort);
    }
    const key = keyOf(port);
    if (seen.has(key)) throw ApiError.badRequest(`duplicate nodePort: ${key}`);
    seen.add(key);
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
  const asked = spec.healthCheckNodePort;
  const problem = asked ? pool.take(asked) : undefined;
  if (problem) throw ApiError.internal(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`);
  spec.healthCheckNodePort = asked || pool.allocateNext("HealthCheck NodePort 0");
}
