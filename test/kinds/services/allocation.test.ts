import { describe, expect, test } from "vitest";
import { randomFrom, seededRandom } from "../../../shared/base/random.ts";
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import { ipv4Number, parseIp } from "../../../worker/kinds/network/ip.ts";
import { allocateClusterIp } from "../../../worker/kinds/services/cluster-ip.ts";
import { allocateNodePorts } from "../../../worker/kinds/services/node-ports.ts";

const service = (spec: Partial<Service["spec"]> = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { type: "ClusterIP", ...spec },
  status: { loadBalancer: {} },
});
const atNode = (ports: number[]): Service =>
  service({ type: "NodePort", ports: ports.map((nodePort) => ({ port: nodePort, protocol: "TCP", nodePort })) });
const number = (text = "") => {
  const ip = parseIp(text);
  return ip ? ipv4Number(ip) : 0;
};

describe("cluster IPs", () => {
  test("are given past the first 256 of the range, each once", () => {
    const random = seededRandom(7);
    const all: Service[] = [];
    for (let count = 0; count < 200; count++) {
      const draft = service();
      allocateClusterIp(draft, all, random);
      all.push(draft);
    }
    const given = all.map(({ spec }) => spec.clusterIP ?? "");
    expect(new Set(given).size).toBe(200);
    for (const ip of given) {
      expect(number(ip)).toBeGreaterThanOrEqual(number("10.96.1.0"));
      expect(number(ip)).toBeLessThanOrEqual(number("10.111.255.254"));
    }
    expect(all.every(({ spec }) => spec.clusterIPs?.[0] === spec.clusterIP)).toBe(true);
  });

  test("go on from the place that chance gives to the next that is free", () => {
    const draft = service();
    allocateClusterIp(
      draft,
      [service({ clusterIPs: ["10.96.1.0"] })],
      randomFrom(() => 0),
    );
    expect(draft.spec.clusterIP).toBe("10.96.1.1");
  });

  test("wrap around at the end of the range", () => {
    const draft = service();
    allocateClusterIp(
      draft,
      [service({ clusterIPs: ["10.111.255.254"] })],
      randomFrom(() => 0.9999999999),
    );
    expect(draft.spec.clusterIP).toBe("10.96.1.0");
  });
});

describe("node ports", () => {
  const dynamic = Array.from({ length: 32_767 - 30_086 + 1 }, (_, at) => 30_086 + at);
  const reserved = Array.from({ length: 86 }, (_, at) => 30_000 + at);
  const draft = () => service({ type: "NodePort", ports: [{ port: 80, protocol: "TCP" }] });

  test("come from the reserved band only when the other is full", () => {
    const next = draft();
    allocateNodePorts(next, [atNode(dynamic.slice(1))], seededRandom(1));
    expect(next.spec.ports?.[0]?.nodePort).toBe(30_086);
    const last = draft();
    allocateNodePorts(last, [atNode(dynamic)], seededRandom(1));
    expect(last.spec.ports?.[0]?.nodePort).toBeLessThan(30_086);
  });

  test("are refused when the range is full", () => {
    expect(() => allocateNodePorts(draft(), [atNode([...dynamic, ...reserved])], seededRandom(1))).toThrow(
      "Internal error occurred: failed to allocate a nodePort: range is full",
    );
  });

  test("a health check port is one of them", () => {
    const local = service({ type: "LoadBalancer", externalTrafficPolicy: "Local", ports: [{ port: 80 }] });
    allocateNodePorts(local, [], seededRandom(1));
    const { healthCheckNodePort, ports } = local.spec;
    expect(healthCheckNodePort).toBeGreaterThanOrEqual(30_086);
    expect(healthCheckNodePort).not.toBe(ports?.[0]?.nodePort);
  });
});
