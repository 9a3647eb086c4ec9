// Configured address ranges of a sandbox: which are valid, and that a cluster uses no other addresses.
import { describe, expect, test } from "vitest";
import { createSandbox } from "../shared/contract/sandbox.ts";
import {
  defaultNetwork,
  networkOf,
  networkProblem,
  podRange,
  podRanges,
} from "../shared/k8s/settings/cluster-network.ts";
import { settingsProblem } from "../worker/cluster/settings/problem.ts";
import { isOfBase } from "../worker/cluster/base/new-base.ts";
import { sandboxSettings } from "../shared/contract/sandbox-settings.ts";
import { configMaps } from "../worker/kinds/core/config-map.ts";
import { endpointSlices } from "../worker/kinds/discovery/endpoint-slice.ts";
import { nodes } from "../worker/kinds/core/node/node.ts";
import { pods } from "../worker/kinds/core/pod/pod.ts";
import { services } from "../worker/kinds/core/service/service.ts";
import { serviceCidrs } from "../worker/kinds/networking/service-cidr.ts";
import { simulatedAnnotation } from "../worker/kinds/core/node/simulated.ts";
import { quietCluster } from "./cluster.ts";

const network = { serviceCidr: "10.43.0.0/24", podCidr: "10.42.0.0/22" };

describe("A13 configured ranges", () => {
  const wrong: readonly (readonly [Record<string, string>, string])[] = [
    [{ serviceCidr: "10.96.0.0" }, "must be an IPv4 range, such as 10.96.0.0/16"],
    [{ serviceCidr: "fd00::/112" }, "must be an IPv4 range, such as 10.96.0.0/16"],
    [{ serviceCidr: "10.0.0.0/11" }, "must be a /12 to a /28"],
    [{ serviceCidr: "10.0.0.0/29" }, "must be a /12 to a /28"],
    [{ serviceCidr: "10.43.0.1/16" }, "must begin with the first address of the range: 10.43.0.0/16"],
    [{ podCidr: "0.0.0.0/0" }, "must be a /8 to a /24"],
    [{ podCidr: "10.42.0.0/25" }, "must be a /8 to a /24"],
  ];
  test.each(wrong)("A13 %j is refused by its format", (fields, message) => {
    const { error } = createSandbox.safeParse(fields);
    expect(error?.issues).toMatchObject([{ path: Object.keys(fields), message }]);
  });

  const clashing: readonly (readonly [Record<string, string>, string])[] = [
    [{ serviceCidr: "10.244.0.0/24" }, "the ranges of Services (10.244.0.0/24) and of pods (10.244.0.0/16) overlap"],
    [{ podCidr: "10.0.0.0/8" }, "the ranges of Services (10.96.0.0/12) and of pods (10.0.0.0/8) overlap"],
    [{ podCidr: "172.16.0.0/12" }, "172.16.0.0/12 overlaps the nodes' own addresses (172.18.0.0/16)"],
    [{ serviceCidr: "127.0.0.0/16" }, "127.0.0.0/16 overlaps loopback addresses (127.0.0.0/8)"],
    [{ podCidr: "10.42.0.0/23" }, "10.42.0.0/23 has room for 2 nodes with a /24 each, and 3 are asked for"],
  ];
  test.each(clashing)("A13 %j is refused in combination", (fields, why) => {
    const [field = ""] = Object.keys(fields);
    const settings = sandboxSettings.parse({ ...fields, expiresAtMs: 0 });
    expect(settingsProblem(settings, 3)).toEqual({
      ok: false,
      code: "invalid_field",
      message: `${field}: ${why}`,
      field,
    });
  });

  test("A13 usual ranges of clusters are accepted", () => {
    for (const fields of [
      {},
      network,
      { serviceCidr: "10.43.0.0/16", podCidr: "10.42.0.0/16" },
      { podCidr: "192.168.0.0/16" },
    ]) {
      expect(createSandbox.safeParse(fields).success).toBe(true);
      expect(networkProblem(fields, 3)).toBeUndefined();
    }
    expect(networkOf({})).toEqual(defaultNetwork);
  });

  test("A13 as many nodes as there are ranges get one each", () => {
    const all = Array.from({ length: podRanges(network) }, (_, at) => podRange(network, at + 1));
    expect(all).toEqual(["10.42.1.0/24", "10.42.2.0/24", "10.42.3.0/24", "10.42.0.0/24"]);
  });

  test("C5 only sandboxes with the default ranges start from the base", () => {
    const of = (fields: object) =>
      isOfBase({ nodes: 3, settings: sandboxSettings.parse({ ...fields, expiresAtMs: 0 }) });
    expect([of({}), of(defaultNetwork), of(network), of({ podCidr: "10.42.0.0/16" })]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("A13 a cluster with its own ranges", () => {
  const cluster = quietCluster({ network, systemPods: true, nodes: 3 });
  const { client } = cluster;

  test("A13 Services have addresses in it, kubernetes the first and kube-dns the tenth", () => {
    expect(cluster.get(services, "default", "kubernetes").spec.clusterIP).toBe("10.43.0.1");
    expect(cluster.get(services, "kube-system", "kube-dns").spec.clusterIP).toBe("10.43.0.10");
    expect(cluster.get(serviceCidrs, "", "kubernetes").spec.cidrs).toEqual([network.serviceCidr]);
    for (const { spec } of client.list(services)) expect(spec.clusterIP).toMatch(/^10\.43\.0\.\d+$/);
    const oldService = {
      metadata: { name: "old", namespace: "default" },
      spec: { clusterIP: "10.96.0.20", ports: [{ port: 80 }] },
    };
    expect(() => client.create(services, oldService)).toThrow("the provided network does not match the current range");
  });

  test("A13 nodes have ranges in it, and pods addresses of their node's range", () => {
    expect(client.list(nodes).map(({ spec }) => spec.podCIDR)).toEqual([
      "10.42.1.0/24",
      "10.42.2.0/24",
      "10.42.3.0/24",
    ]);
    const podNetworkPods = client.list(pods).filter(({ spec }) => !spec.hostNetwork);
    expect(podNetworkPods.length).toBeGreaterThan(1);
    for (const { status } of podNetworkPods) expect(status.podIP).toMatch(/^10\.42\.[123]\.\d+$/);
  });

  test("A13 no stored object contains the default ranges", () => {
    const all = [configMaps, pods, services, nodes, endpointSlices].flatMap((kind) => [
      ...client.list(kind as typeof pods),
    ]);
    expect(JSON.stringify(all)).not.toMatch(/10\.96\.|10\.244\.|10\.128\./);
    const kubeadm = cluster.get(configMaps, "kube-system", "kubeadm-config").data?.["ClusterConfiguration"];
    expect(kubeadm).toContain("podSubnet: 10.42.0.0/22\n  serviceSubnet: 10.43.0.0/24");
    const manager = cluster.get(pods, "kube-system", "kube-controller-manager-node-1").spec.containers[0];
    expect(manager?.command).toContain("--cluster-cidr=10.42.0.0/22");
  });

  test("A13 the range is created again after its deletion", () => {
    cluster.edit(serviceCidrs, "", "kubernetes", ({ metadata }) => delete metadata.finalizers);
    client.tryDelete(serviceCidrs, "", "kubernetes");
    cluster.runUntilQuiet();
    expect(cluster.get(serviceCidrs, "", "kubernetes").spec.cidrs).toEqual([network.serviceCidr]);
  });

  test("A13 a node past the last range waits for one, and gets the range of a deleted node", () => {
    const add = (name: string) =>
      client.create(nodes, { metadata: { name, annotations: { [simulatedAnnotation]: "true" } } });
    add("node-4");
    add("node-5");
    cluster.step(1000);
    expect(cluster.get(nodes, "", "node-4").spec.podCIDR).toBe("10.42.0.0/24");
    expect(cluster.get(nodes, "", "node-5").spec.podCIDR).toBeUndefined();
    expect(cluster.eventsOf(cluster.get(nodes, "", "node-5"))).toContain(
      "CIDRNotAvailable: Node node-5 status is now: CIDRNotAvailable",
    );
    client.delete(nodes, "", "node-2");
    cluster.step(61_000);
    expect(cluster.get(nodes, "", "node-5").spec.podCIDR).toBe("10.42.2.0/24");
  });
});

/** Returns the output of a script that a container runs. */
async function printed(script: string): Promise<string> {
  const cluster = quietCluster({ network });
  cluster.apply(pods, {
    metadata: { name: "asks", namespace: "default" },
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "main", image: "busybox:1.28", command: ["sh", "-c", script] }],
    },
  });
  cluster.step(60_000);
  const pod = cluster.get(pods, "default", "asks");
  const output = await cluster.containers.printed(pod, "main", { previous: false, follows: false });
  return (output?.lines ?? []).map(({ text }) => `${text}\n`).join("");
}

describe("A13 containers of a cluster with its own ranges", () => {
  test("A13 containers use the cluster's DNS address, and find the API by its variables", async () => {
    const output = await printed("cat /etc/resolv.conf; nslookup kubernetes.default; echo $KUBERNETES_SERVICE_HOST");
    expect(output).toContain("nameserver 10.43.0.10\n");
    expect(output).toContain("Address 1: 10.43.0.10 kube-dns.kube-system.svc.cluster.local");
    expect(output).toContain("Address 1: 10.43.0.1 kubernetes.default.svc.cluster.local");
    expect(output).toMatch(/\n10\.43\.0\.1\n$/);
  });

  test("A13 unused addresses time out in the Services' range, and are unreachable in the pods' range", async () => {
    const output = await printed("wget -T 2 -q -O- http://10.43.0.200; wget -q -O- http://10.42.3.200; true");
    expect(output).toContain("download timed out");
    expect(output).toMatch(/(Host is unreachable|No route to host)/);
  });
});
