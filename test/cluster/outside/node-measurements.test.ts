// Measurements of machines: when they are renewed, what a kubelet's summary gives, and their bounds.
import { expect, test } from "vitest";
import type { KubeletAnswer, KubeletCall } from "../../../worker/api/api-server.ts";
import { NodeMeasurements } from "../../../worker/cluster/outside/node-measurements.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { newServer } from "../../api/server.ts";

const summary = (pods: readonly object[] = []) => ({
  node: { nodeName: "laptop", cpu: { usageNanoCores: 250_000_000 }, memory: { workingSetBytes: 1024 * 1024 } },
  pods,
});

/** Returns a cluster with a simulated node and a machine, whose kubelet answers by `answer`. */
async function newMachine(answer: () => KubeletAnswer) {
  const calls: KubeletCall[] = [];
  const time = { ms: 0 };
  const server = newServer({
    nodes: 1,
    service: (cluster) => {
      const measurements: NodeMeasurements = new NodeMeasurements({
        tunnels: {
          hasNode: (name) => name === "laptop",
          askNode: async (_name, call) => {
            calls.push(call);
            return answer();
          },
        },
        reads: () => ({ list: (kind, namespace) => cluster.client.list(kind, { namespace }) }),
        nowMs: () => cluster.clock.nowMs(),
        realMs: () => time.ms,
      });
      Object.assign(cluster.registry, { measured: (node: string) => measurements.of(node) });
      return { measure: () => measurements.renew() };
    },
  });
  server.cluster.client.create(nodes, { metadata: { name: "laptop" } });
  const measuredNodes = async () => {
    const { body } = await server.ask("GET", "/apis/metrics.k8s.io/v1beta1/nodes");
    return body.items.map(({ metadata, ...item }) => [metadata.name, (item as { usage?: object }).usage]);
  };
  return { ...server, calls, time, measuredNodes };
}

function json(value: unknown): KubeletAnswer {
  return { status: 200, headers: [], body: new TextEncoder().encode(JSON.stringify(value)) };
}

test("a machine's usage is what its kubelet reports, measured once in 15 seconds when it is read", async () => {
  const { calls, time, measuredNodes } = await newMachine(() => json(summary()));
  expect(calls).toEqual([]);
  const [laptop, simulated] = await measuredNodes();
  expect([laptop, simulated?.[0]]).toEqual([["laptop", { cpu: "250000000n", memory: "1024Ki" }], "node-1"]);
  await measuredNodes();
  expect(calls).toMatchObject([{ path: "/stats/summary?only_cpu_and_memory=true", timeoutMs: 5000 }]);
  time.ms = 15_000;
  await measuredNodes();
  expect(calls).toHaveLength(2);
});

test.each([
  ["an error", { error: "EOF" } as const],
  ["another status", { ...json(summary()), status: 401 }],
  ["no JSON", { status: 200, headers: [], body: new TextEncoder().encode("{") }],
  ["another shape", json({ pods: 1 })],
  ["a negative amount", json({ node: { cpu: { usageNanoCores: -1 }, memory: { workingSetBytes: 1 } } })],
  ["more than 1 MiB", json({ ...summary(), more: "x".repeat(1024 * 1024) })],
])("an answer that is %s is refused: the machine has no metrics", async (_, answer) => {
  const { measuredNodes } = await newMachine(() => answer);
  expect((await measuredNodes()).map(([name]) => name)).toEqual(["node-1"]);
});

test("pods of a machine have the usage of those containers that its kubelet has measured", async () => {
  let uid = "";
  const measured = { name: "main", cpu: { usageNanoCores: 1_000_000 }, memory: { workingSetBytes: 2048 } };
  const { ask, cluster } = await newMachine(() =>
    json(summary([{ podRef: { uid }, containers: [measured, { name: "new" }] }, { podRef: { uid: "of another" } }])),
  );
  const spec = { nodeName: "laptop", containers: [{ name: "main", image: "nginx" }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec };
  const created = await ask("POST", "/api/v1/namespaces/default/pods", { body: pod });
  uid = created.body.metadata.uid ?? "";
  cluster.step(0);
  const { body } = await ask("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web");
  expect(body).toMatchObject({ containers: [{ name: "main", usage: { cpu: "1000000n", memory: "2Ki" } }] });
});
