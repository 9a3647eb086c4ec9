import { describe, expect, test } from "vitest";
import { serviceCidrs } from "../../../worker/kinds/networking/service-cidr.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { newCluster } from "../../cluster.ts";

const finalizers = ["networking.k8s.io/service-cidr-finalizer"];
const ready = { type: "Ready", status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };

describe("the service CIDR controller", () => {
  test("creates the cluster's own range, which is ready", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.step(0);
    const range = cluster.get(serviceCidrs, "", "kubernetes");
    expect(range.spec.cidrs).toEqual(["10.96.0.0/12"]);
    expect(range.metadata.finalizers).toEqual(finalizers);
    expect(range.status.conditions).toMatchObject([ready]);
  });

  test("protects a new range, marks it ready, and removes it ten seconds after its deletion", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.apply(serviceCidrs, { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/16"] } });
    cluster.step(0);
    expect(cluster.get(serviceCidrs, "", "more").metadata.finalizers).toEqual(finalizers);
    cluster.client.delete(serviceCidrs, "", "more");
    cluster.step(9_000);
    expect(cluster.client.get(serviceCidrs, "", "more")).toBeDefined();
    cluster.step(1_000);
    expect(cluster.client.get(serviceCidrs, "", "more")).toBeUndefined();
  });

  test("keeps a range while a Service has an address only in it, and creates the cluster's own range again", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.step(0);
    const { uid } = cluster.get(serviceCidrs, "", "kubernetes").metadata;
    cluster.client.delete(serviceCidrs, "", "kubernetes");
    cluster.step(60_000);
    const [condition] = cluster.get(serviceCidrs, "", "kubernetes").status.conditions ?? [];
    expect(condition).toMatchObject({ type: "Ready", status: "False", reason: "Terminating" });
    for (const { metadata } of cluster.client.list(services)) {
      cluster.client.delete(services, metadata.namespace ?? "", metadata.name ?? "");
    }
    cluster.step(60_000);
    expect(cluster.get(serviceCidrs, "", "kubernetes").metadata.uid).not.toBe(uid);
  });

  test("removes a range immediately if another range contains its addresses", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.apply(serviceCidrs, { metadata: { name: "part" }, spec: { cidrs: ["10.96.0.0/16"] } });
    cluster.client.delete(serviceCidrs, "", "part");
    cluster.step(10_000);
    expect(cluster.client.get(serviceCidrs, "", "part")).toBeUndefined();
  });
});
