import { describe, expect, test } from "vitest";
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { serviceCidrs } from "../../../worker/kinds/networking/service-cidr.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

function applyBalanced(cluster: TestCluster, name: string, spec: Draft<Service["spec"]> = {}): Service {
  const metadata = { name, namespace: "default" };
  const service = cluster.apply(services, { metadata, spec: { type: "LoadBalancer", ports: [{ port: 80 }], ...spec } });
  cluster.step(0);
  return service;
}

const serviceOf = (cluster: TestCluster, name: string) => cluster.get(services, "default", name);

describe("the load balancer controller", () => {
  test("gives each Service its own address and a finalizer", () => {
    const cluster = newCluster({ nodes: 1 });
    const a = applyBalanced(cluster, "a");
    applyBalanced(cluster, "b");
    expect(serviceOf(cluster, "a").status.loadBalancer).toEqual({ ingress: [{ ip: "203.0.113.1", ipMode: "VIP" }] });
    expect(serviceOf(cluster, "b").status.loadBalancer).toEqual({ ingress: [{ ip: "203.0.113.2", ipMode: "VIP" }] });
    expect(serviceOf(cluster, "a").metadata.finalizers).toEqual(["service.kubernetes.io/load-balancer-cleanup"]);
    expect(cluster.eventsOf(a)).toEqual([
      "EnsuringLoadBalancer: Ensuring load balancer",
      "EnsuredLoadBalancer: Ensured load balancer",
    ]);
  });

  test("reuses the address of a deleted Service", () => {
    const cluster = newCluster({ nodes: 1 });
    applyBalanced(cluster, "a");
    cluster.client.delete(services, "default", "a");
    cluster.step(0);
    expect(cluster.client.get(services, "default", "a")).toBeUndefined();
    applyBalanced(cluster, "b");
    expect(serviceOf(cluster, "b").status.loadBalancer.ingress?.[0]?.ip).toBe("203.0.113.1");
  });

  test("releases the address of a Service that changes its type", () => {
    const cluster = newCluster({ nodes: 1 });
    const a = applyBalanced(cluster, "a");
    cluster.edit(services, "default", "a", ({ spec }) => {
      spec.type = "ClusterIP";
    });
    cluster.step(0);
    expect(serviceOf(cluster, "a").status.loadBalancer).toEqual({});
    expect(serviceOf(cluster, "a").metadata.finalizers).toBeUndefined();
    expect(cluster.eventsOf(a).slice(2)).toEqual([
      "Type: LoadBalancer -> ClusterIP",
      "DeletingLoadBalancer: Deleting load balancer",
      "DeletedLoadBalancer: Deleted load balancer",
    ]);
  });

  test("ignores a Service with a class, and uses a requested address", () => {
    const cluster = newCluster({ nodes: 1 });
    applyBalanced(cluster, "a", { loadBalancerClass: "example.com/mine" });
    applyBalanced(cluster, "b", { loadBalancerIP: "198.51.100.7" });
    expect(serviceOf(cluster, "a").status.loadBalancer).toEqual({});
    expect(serviceOf(cluster, "b").status.loadBalancer.ingress?.[0]?.ip).toBe("198.51.100.7");
  });

  test("records a new load balancer and its changes as events", () => {
    const cluster = newCluster({ nodes: 1 });
    const a = applyBalanced(cluster, "a", { type: "ClusterIP" });
    expect(cluster.eventsOf(a)).toEqual([]);
    cluster.edit(services, "default", "a", ({ spec }) => {
      spec.type = "LoadBalancer";
    });
    cluster.step(0);
    expect(cluster.eventsOf(a)[0]).toBe("Type: ClusterIP -> LoadBalancer");
    const { ingress } = serviceOf(cluster, "a").status.loadBalancer;
    cluster.edit(services, "default", "a", ({ spec }) => {
      spec.loadBalancerSourceRanges = ["10.0.0.0/8"];
    });
    cluster.step(0);
    cluster.edit(services, "default", "a", ({ spec }) => {
      spec.externalTrafficPolicy = "Local";
    });
    cluster.step(0);
    expect(cluster.eventsOf(a)).toContain("LoadBalancerSourceRanges: [] -> [10.0.0.0/8]");
    expect(cluster.eventsOf(a)).toContain("ExternalTrafficPolicy: Cluster -> Local");
    expect(serviceOf(cluster, "a").status.loadBalancer.ingress).toEqual(ingress);
  });

  test("records changed nodes behind a load balancer, and no other changes of nodes", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.step(0);
    const a = applyBalanced(cluster, "a");
    cluster.edit(nodes, "", "node-1", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, other: "label" };
    });
    cluster.step(0);
    expect(cluster.eventsOf(a)).toHaveLength(2);
    cluster.edit(nodes, "", "node-1", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, "node.kubernetes.io/exclude-from-external-load-balancers": "" };
    });
    cluster.step(0);
    expect(cluster.eventsOf(a).at(-1)).toBe("UpdatedLoadBalancer: Updated load balancer with new hosts");
  });

  test("creates a load balancer without hosts and with a warning in a cluster without nodes", () => {
    const a = newCluster({ nodes: 0 });
    expect(a.eventsOf(applyBalanced(a, "a"))).toContain(
      "UnAvailableLoadBalancer: There are no available nodes for LoadBalancer",
    );
  });

  test("gives a dual-stack Service addresses of both families", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.edit(serviceCidrs, "", "kubernetes", ({ spec }) => {
      spec.cidrs = ["10.96.0.0/12", "fd00:10:96::/112"];
    });
    applyBalanced(cluster, "a", { ipFamilyPolicy: "RequireDualStack" });
    const ips = serviceOf(cluster, "a").status.loadBalancer.ingress?.map(({ ip }) => ip);
    expect(ips).toEqual(["203.0.113.1", "2001:db8::1"]);
  });

  test("delays a Service's deletion only for the cleanup of its load balancer", () => {
    const cluster = newCluster({ nodes: 1 });
    applyBalanced(cluster, "a");
    cluster.edit(services, "default", "a", ({ metadata }) => {
      metadata.finalizers = [...(metadata.finalizers ?? []), "example.com/mine"];
    });
    cluster.client.delete(services, "default", "a");
    cluster.step(0);
    expect(serviceOf(cluster, "a").metadata.finalizers).toEqual(["example.com/mine"]);
    expect(serviceOf(cluster, "a").status.loadBalancer).toEqual({});
  });
});
