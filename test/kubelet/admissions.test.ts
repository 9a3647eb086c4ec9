// The pods that a node has admitted, as the kubelet counts them.
import { expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { AdmittedPods } from "../../worker/scheduler/admission-check.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

const namespace = "default";

function cluster(): { readonly cluster: TestCluster; readonly nodeName: string } {
  const opened = newCluster({ nodes: 1 });
  opened.runUntilQuiet();
  return { cluster: opened, nodeName: opened.client.list(nodes)[0]?.metadata.name ?? "" };
}

function start({ cluster: { client, step } }: ReturnType<typeof cluster>, name: string, spec: object): void {
  client.create(pods, { metadata: { name, namespace }, spec: { containers: [], ...spec } });
  step(0);
}

const container = (cpu: string) => ({
  name: "c",
  image: "registry.k8s.io/pause:3.10",
  resources: { requests: { cpu } },
});

test("N1: starting a pod reads no more of the store on a full node than on an empty one", () => {
  const opened = cluster();
  const { nodeName } = opened;
  const { meter } = opened.cluster.registry.store;
  const workOf = (first: number) => {
    const before = meter.spent;
    for (let at = first; at < first + 10; at++) start(opened, `p${at}`, { nodeName, containers: [container("1m")] });
    return meter.spent - before;
  };
  const first = workOf(0);
  for (let at = 10; at < 80; at += 10) workOf(at);
  const last = workOf(80);
  expect(last).toBeLessThan(1.02 * first);
});

test("N1: a pod that ended or was deleted leaves room for the next one", () => {
  const opened = cluster();
  const { cluster: testCluster, nodeName } = opened;
  const phaseOf = (name: string) => testCluster.get(pods, namespace, name).status.phase;
  const spec = { nodeName, containers: [container("3")] };
  start(opened, "a", spec);
  start(opened, "b", spec);
  expect([phaseOf("a"), phaseOf("b")]).toEqual(["Running", "Failed"]);
  testCluster.client.delete(pods, namespace, "a", { gracePeriodSeconds: 0 });
  start(opened, "c", spec);
  expect(phaseOf("c")).toBe("Running");
});

test("N1: the sums of admitted pods follow their changes", () => {
  const admitted = new AdmittedPods();
  const podOf = (uid: string, cpu: string, hostPort?: number) =>
    ({
      metadata: { uid },
      spec: { containers: [{ ...container(cpu), ...(hostPort ? { ports: [{ hostPort }] } : {}) }] },
      status: {},
    }) as unknown as Pod; // only what is read
  admitted.set(podOf("a", "1", 80));
  admitted.set(podOf("b", "2", 81));
  admitted.set(podOf("a", "500m", 80));
  const stranger = podOf("c", "1");
  expect(admitted.beside(stranger)).toMatchObject({ count: 2, used: { milliCpu: 2500 } });
  expect(admitted.beside(podOf("b", "9"))).toMatchObject({ count: 1, used: { milliCpu: 500 } });
  expect(admitted.hostPortsBeside(podOf("b", "9")).map(({ port }) => port)).toEqual([80]);
  admitted.delete(podOf("a", "1"));
  admitted.delete(podOf("a", "1"));
  expect(admitted.beside(stranger)).toMatchObject({ count: 1, used: { milliCpu: 2000 } });
  expect(admitted.hostPortsBeside(stranger).map(({ port }) => port)).toEqual([81]);
});
