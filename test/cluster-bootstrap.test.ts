// The objects of a new cluster.
import { newestRelease } from "../shared/k8s/settings/release.ts";
import { parseIpv4Range, parseIpv4 } from "../shared/k8s/ip.ts";
import { describe, expect, test } from "vitest";
import { freshCluster } from "../worker/cluster/bootstrap/objects.ts";
import { deployments } from "../worker/kinds/apps/deployment.ts";
import { endpointSlices } from "../worker/kinds/discovery/endpoint-slice.ts";
import { endpoints } from "../worker/kinds/core/endpoints.ts";
import { leases } from "../worker/kinds/coordination/lease.ts";
import { namespaces } from "../worker/kinds/core/namespace.ts";
import { nodes } from "../worker/kinds/core/node/node.ts";
import { services } from "../worker/kinds/core/service/service.ts";
import { defaultNetwork, podRange } from "../shared/k8s/settings/cluster-network.ts";
import { machineAddress } from "../worker/machine/machine.ts";
import { newCluster } from "./cluster.ts";

const nowMs = Date.UTC(2026, 0, 1);

describe("bootstrap objects", () => {
  test("are created after their dependencies, namespaces first", () => {
    const seeds = [...freshCluster({ nowMs, nodes: 3 }, { network: defaultNetwork, release: newestRelease })];
    const createdNames = new Set<string>();
    for (const { kind, draft } of seeds) {
      const { namespace, name = "" } = draft.metadata ?? {};
      if (kind.namespaced) expect(createdNames).toContain(namespace);
      if (kind.resource === namespaces.resource) createdNames.add(name);
    }
    expect([...createdNames].sort()).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
    const count = (resource: string) => seeds.filter((seed) => seed.kind.resource === resource).length;
    expect([count(nodes.resource), count(leases.resource), count(deployments.resource)]).toEqual([3, 3, 1]);
  });

  test("give up to 5,000 nodes distinct ranges and addresses, apart from the Services'", () => {
    const services = parseIpv4Range("10.96.0.0/12");
    const takenAddresses = new Set<string>();
    for (let index = 1; index <= 5000; index++) {
      const range = parseIpv4Range(podRange(defaultNetwork, index));
      expect(range?.size).toBe(256);
      const first = range?.first ?? 0;
      expect(services && first >= services.first && first < services.first + services.size).toBe(false);
      takenAddresses.add(podRange(defaultNetwork, index)).add(machineAddress(index));
      expect(parseIpv4(machineAddress(index))).toBeDefined();
    }
    expect(takenAddresses.size).toBe(10_000);
    expect([
      podRange(defaultNetwork, 1),
      podRange(defaultNetwork, 256),
      podRange(defaultNetwork, 3071),
      podRange(defaultNetwork, 3072),
    ]).toEqual(["10.244.1.0/24", "10.245.0.0/24", "10.255.255.0/24", "10.128.0.0/24"]);
    expect([machineAddress(1), machineAddress(300)]).toEqual(["172.18.0.3", "172.18.1.46"]);
  });

  test("include cluster-info with the cluster's address", () => {
    const info = { server: "https://localhost:8443", certificateAuthority: "QUJD" };
    const seed = [...freshCluster({ nowMs, nodes: 0, info }, { network: defaultNetwork, release: newestRelease })].find(
      (objectSeed) => objectSeed.draft.metadata?.name === "cluster-info",
    );
    expect(JSON.stringify(seed?.draft)).toContain("server: https://localhost:8443");
  });
});

describe("a bootstrapped cluster", () => {
  test("has Ready, schedulable nodes with a kubelet's status", () => {
    const cluster = newCluster({ nodes: 3 });
    cluster.runUntilQuiet();
    const all = cluster.client.list(nodes);
    expect(all.map((node) => node.metadata.name)).toEqual(["node-1", "node-2", "node-3"]);
    for (const node of all) {
      expect(node.spec.taints).toBeUndefined();
      expect(node.status.conditions?.at(-1)).toMatchObject({
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "kubelet is posting ready status",
      });
      expect(node.status.nodeInfo.kubeletVersion).toMatch(/^v1\.36\./);
      expect(node.status.allocatable).toMatchObject({ cpu: "4", pods: "110" });
    }
    const { metadata, spec } = cluster.get(leases, "kube-node-lease", "node-2");
    expect(spec.holderIdentity).toBe("node-2");
    const { uid } = cluster.get(nodes, "", "node-2").metadata;
    expect(metadata.ownerReferences).toEqual([{ apiVersion: "v1", kind: "Node", name: "node-2", uid }]);
    const role = "node-role.kubernetes.io/control-plane";
    expect(all.map((node) => node.metadata.labels?.[role])).toEqual(["", undefined, undefined]);
  });

  test("has default/kubernetes with the API server's address", () => {
    const cluster = newCluster();
    cluster.runUntilQuiet();
    expect(cluster.get(services, "default", "kubernetes").spec).toMatchObject({
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
    });
    expect(cluster.get(endpoints, "default", "kubernetes").subsets).toEqual([
      { addresses: [{ ip: "172.18.0.3" }], ports: [{ name: "https", port: 6443, protocol: "TCP" }] },
    ]);
    const slices = cluster.client.list(endpointSlices, { namespace: "default" });
    expect(slices.map((slice) => slice.endpoints?.[0]?.addresses)).toEqual([["172.18.0.3"]]);
  });

  test("has CoreDNS, which becomes available and serves kube-dns", () => {
    const cluster = newCluster();
    cluster.runUntilQuiet();
    expect(cluster.get(deployments, "kube-system", "coredns").status).toMatchObject({
      readyReplicas: 2,
      availableReplicas: 2,
    });
    expect(cluster.get(services, "kube-system", "kube-dns").spec.clusterIP).toBe("10.96.0.10");
    expect(cluster.get(endpoints, "kube-system", "kube-dns").subsets?.[0]?.addresses).toHaveLength(2);
  });
});
