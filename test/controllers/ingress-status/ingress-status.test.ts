import { describe, expect, test } from "vitest";
import { freeBalancedAddress } from "../../../worker/controllers/common/balanced-addresses.ts";
import { ingressClasses } from "../../../worker/kinds/networking/ingress-class.ts";
import { ingresses } from "../../../worker/kinds/networking/ingress.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const ours = "sandbar.dev/ingress";
const served = { loadBalancer: { ingress: [{ ip: "203.0.113.254" }] } };

const applyClass = (cluster: TestCluster, name: string, controller: string, annotations: Record<string, string> = {}) =>
  cluster.apply(ingressClasses, { metadata: { name, annotations }, spec: { controller } });

function apply(cluster: TestCluster, name: string, ingressClassName?: string) {
  const service = { name: "web", port: { number: 80 } };
  const ingress = cluster.apply(ingresses, {
    metadata: { name, namespace: "default" },
    spec: { ...(ingressClassName ? { ingressClassName } : {}), defaultBackend: { service } },
  });
  cluster.step(0);
  return ingress;
}

const statusOf = (cluster: TestCluster, name: string) => cluster.get(ingresses, "default", name).status;

describe("the simulated ingress controller", () => {
  test("gives an Ingress of its class its address, and no other", () => {
    const cluster = newCluster({ nodes: 0 });
    applyClass(cluster, "mine", ours);
    applyClass(cluster, "other", "haproxy.org/ingress-controller");
    applyClass(cluster, "nginx", "k8s.io/ingress-nginx");
    const ingress = apply(cluster, "a", "mine");
    apply(cluster, "b", "other");
    apply(cluster, "c");
    apply(cluster, "d", "nginx");
    expect([statusOf(cluster, "a"), statusOf(cluster, "d")]).toEqual([served, served]);
    expect(cluster.eventsOf(ingress)).toEqual(["Sync: Scheduled for sync"]);
    expect(statusOf(cluster, "b")).toEqual({ loadBalancer: {} });
    expect(statusOf(cluster, "c")).toEqual({ loadBalancer: {} });
  });

  test("serves a class that is added later, and removes the address with a deleted class", () => {
    const cluster = newCluster({ nodes: 0 });
    apply(cluster, "a", "mine");
    applyClass(cluster, "mine", ours);
    cluster.step(0);
    expect(statusOf(cluster, "a")).toEqual(served);
    cluster.client.delete(ingressClasses, "", "mine");
    cluster.step(0);
    expect(statusOf(cluster, "a")).toEqual({ loadBalancer: {} });
  });

  test("gives an Ingress without a class the default class", () => {
    const cluster = newCluster({ nodes: 0 });
    applyClass(cluster, "mine", ours, { "ingressclass.kubernetes.io/is-default-class": "true" });
    apply(cluster, "a");
    expect(statusOf(cluster, "a")).toEqual(served);
  });

  test("has an address outside the load balancers' range", () => {
    const taken = new Set<string>();
    for (let count = 0; count < 254; count++) taken.add(freeBalancedAddress("IPv4", taken) ?? "");
    expect(taken.size).toBe(254);
    expect(taken.has("203.0.113.254")).toBe(false);
  });
});
