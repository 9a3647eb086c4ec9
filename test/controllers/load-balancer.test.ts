import { describe, expect, test } from "vitest";
import type { Service } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { services } from "../../worker/kinds/services.ts";
import { type TestCluster, newCluster } from "../cluster.ts";

function applyBalanced(cluster: TestCluster, name: string, spec: Draft<Service["spec"]> = {}): Service {
  const metadata = { name, namespace: "default" };
  const service = cluster.apply(services, { metadata, spec: { type: "LoadBalancer", ports: [{ port: 80 }], ...spec } });
  cluster.step(0);
  return service;
}

const serviceOf = (cluster: TestCluster, name: string) => cluster.get(services, "default", name);

describe("the load balancer controller", () => {
  test("each service gets an address of its own, and is held by it", () => {
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

  test("a deleted service goes, and its address is free again", () => {
    const cluster = newCluster({ nodes: 1 });
    applyBalanced(cluster, "a");
    cluster.client.delete(services, "default", "a");
    cluster.step(0);
    expect(cluster.client.get(services, "default", "a")).toBeUndefined();
    applyBalanced(cluster, "b");
    expect(serviceOf(cluster, "b").status.loadBalancer.ingress?.[0]?.ip).toBe("203.0.113.1");
  });

  test("a service of another type gives its address back", () => {
    const cluster = newCluster({ nodes: 1 });
    const a = applyBalanced(cluster, "a");
    cluster.edit(services, "default", "a", ({ spec }) => {
      spec.type = "ClusterIP";
    });
    cluster.step(0);
    expect(serviceOf(cluster, "a").status.loadBalancer).toEqual({});
    expect(serviceOf(cluster, "a").metadata.finalizers).toBeUndefined();
    expect(cluster.eventsOf(a).slice(2)).toEqual([
      "DeletingLoadBalancer: Deleting load balancer",
      "DeletedLoadBalancer: Deleted load balancer",
    ]);
  });

  test("a service with a class is left to others, and an address that is asked for is given", () => {
    const cluster = newCluster({ nodes: 1 });
    applyBalanced(cluster, "a", { loadBalancerClass: "example.com/mine" });
    applyBalanced(cluster, "b", { loadBalancerIP: "198.51.100.7" });
    expect(serviceOf(cluster, "a").status.loadBalancer).toEqual({});
    expect(serviceOf(cluster, "b").status.loadBalancer.ingress?.[0]?.ip).toBe("198.51.100.7");
  });
});
