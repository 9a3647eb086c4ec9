import { describe, expect, test } from "vitest";
import { randomFrom, seededRandom } from "../../../shared/base/random.ts";
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import { addressRange, freeAddress } from "../../../worker/kinds/core/service/cluster-ip.ts";
import { allocateNodePorts, updateNodePorts } from "../../../worker/kinds/core/service/node-ports.ts";

const service = (spec: Partial<Service["spec"]> = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { type: "ClusterIP", ...spec },
  status: { loadBalancer: {} },
});
const fromChance = { random: seededRandom(1), dryRun: false };
const atNode = (ports: number[]): Service =>
  service({ type: "NodePort", ports: ports.map((nodePort) => ({ port: nodePort, protocol: "TCP", nodePort })) });

/** Returns the first free address after the given random position. */
const free = (text: string, chance: () => number, ...taken: string[]) => {
  const range = addressRange(text);
  return range && freeAddress(range, randomFrom(chance), (ip) => taken.includes(ip));
};

describe("cluster IPs", () => {
  test("are after the static part: a sixteenth of the range, from 16 to 256", () => {
    expect(free("10.96.0.0/12", () => 0)).toBe("10.96.1.1");
    expect(free("10.96.0.0/12", () => 0.999999999999)).toBe("10.111.255.254");
    expect(free("10.0.0.0/24", () => 0)).toBe("10.0.0.17");
    expect(free("10.0.0.0/28", () => 0)).toBe("10.0.0.1");
    expect(free("fd00::/112", () => 0)).toBe("fd00::101");
    expect(free("fd00::/112", () => 0.999999999999)).toBe("fd00::ffff");
  });

  test("continue with the next free one, around the end, and then in the static part", () => {
    expect(free("10.96.0.0/12", () => 0, "10.96.1.1")).toBe("10.96.1.2");
    expect(free("10.96.0.0/12", () => 0.999999999999, "10.111.255.254")).toBe("10.96.1.1");
    const dynamic = Array.from({ length: 14 }, (_, at) => `10.0.0.${17 + at}`);
    expect(free("10.0.0.0/27", () => 0, ...dynamic)).toBe("10.0.0.1");
    expect(free("10.0.0.0/30", () => 0, "10.0.0.1", "10.0.0.2")).toBeUndefined();
  });
});

describe("node ports", () => {
  const dynamic = Array.from({ length: 32_767 - 30_086 + 1 }, (_, at) => 30_086 + at);
  const reserved = Array.from({ length: 86 }, (_, at) => 30_000 + at);
  const draft = () => service({ type: "NodePort", ports: [{ port: 80, protocol: "TCP" }] });

  test("are in the static part only when the dynamic one is full", () => {
    const next = draft();
    allocateNodePorts(next, [atNode(dynamic.slice(1))], fromChance);
    expect(next.spec.ports?.[0]?.nodePort).toBe(30_086);
    const last = draft();
    allocateNodePorts(last, [atNode(dynamic)], fromChance);
    expect(last.spec.ports?.[0]?.nodePort).toBeLessThan(30_086);
  });

  test("are rejected when the range is full", () => {
    expect(() => allocateNodePorts(draft(), [atNode([...dynamic, ...reserved])], fromChance)).toThrow(
      "Internal error occurred: failed to allocate a nodePort: range is full",
    );
  });

  test("include a health check port", () => {
    const local = service({ type: "LoadBalancer", externalTrafficPolicy: "Local", ports: [{ port: 80 }] });
    allocateNodePorts(local, [], fromChance);
    const { healthCheckNodePort, ports } = local.spec;
    expect(healthCheckNodePort).toBeGreaterThanOrEqual(30_086);
    expect(healthCheckNodePort).not.toBe(ports?.[0]?.nodePort);
  });

  test("are not searched in a dry run", () => {
    const next = service({ type: "NodePort", ports: [{ port: 80 }, { port: 81 }, { port: 82, nodePort: 30_007 }] });
    allocateNodePorts(next, [], { ...fromChance, dryRun: true });
    expect(next.spec.ports?.map(({ nodePort }) => nodePort)).toEqual([32_769, 32_770, 30_007]);
  });

  test("stay in an update, and ports of other Services are not taken", () => {
    const before = atNode([30_001]);
    const after = atNode([30_001, 30_002]);
    updateNodePorts(after, before, [atNode([30_003])], fromChance);
    expect(after.spec.ports?.map(({ nodePort }) => nodePort)).toEqual([30_001, 30_002]);
    expect(() => updateNodePorts(atNode([30_003]), before, [atNode([30_003])], fromChance)).toThrow(
      "provided port is already allocated",
    );
    expect(() => updateNodePorts(atNode([80]), before, [], fromChance)).toThrow(
      "provided port is not in the valid range. The range of valid ports is 30000-32767",
    );
  });
});
