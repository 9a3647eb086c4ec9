import { describe, expect, test } from "vitest";
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { ipAddresses } from "../../../worker/kinds/networking/ip-address.ts";
import { serviceCidrs } from "../../../worker/kinds/networking/service-cidr.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { create } from "../../../worker/registry/create.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

function bare(): TestCluster {
  const cluster = newCluster({ nodes: 0 });
  cluster.step(0);
  return cluster;
}

function dual(): TestCluster {
  const cluster = bare();
  cluster.edit(serviceCidrs, "", "kubernetes", ({ spec }) => {
    spec.cidrs = ["10.96.0.0/12", "fd00:10:96::/112"];
  });
  return cluster;
}

const draft = (name: string, spec: Draft<Service["spec"]> = {}): Draft<Service> => ({
  metadata: { name, namespace: "default" },
  spec: { ports: [{ port: 80 }], ...spec },
});
const apply = (cluster: TestCluster, name: string, spec?: Draft<Service["spec"]>) =>
  cluster.apply(services, draft(name, spec));
const specOf = (cluster: TestCluster, name: string) => cluster.get(services, "default", name).spec;
const edit = (cluster: TestCluster, name: string, spec: Partial<Service["spec"]>) =>
  cluster.edit(services, "default", name, (next) => Object.assign(next.spec, spec));

/** Returns the addresses whose parent has this name. */
const addresses = (cluster: TestCluster, parent: string) =>
  cluster.client
    .list(ipAddresses)
    .filter(({ spec }) => spec.parentRef?.name === parent)
    .map(({ metadata }) => metadata.name ?? "");

describe("the addresses of services", () => {
  test("exist in a new cluster for its own Services", () => {
    const cluster = bare();
    expect(addresses(cluster, "kubernetes")).toEqual(["10.96.0.1"]);
    expect(addresses(cluster, "kube-dns")).toEqual(["10.96.0.10"]);
  });

  test("are created by the API server with their Service, and deleted with it", () => {
    const cluster = bare();
    const from = cluster.registry.store.revision;
    const { spec } = apply(cluster, "web");
    const address = cluster.get(ipAddresses, "", spec.clusterIP ?? "");
    expect(address).toMatchObject({
      metadata: {
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
        managedFields: [{ manager: "kube-apiserver", operation: "Update", apiVersion: "networking.k8s.io/v1" }],
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "web" } },
    });
    const kinds = cluster.changes.filter(({ revision }) => revision > from).map(({ resource }) => resource);
    expect(kinds).toEqual(["ipaddresses.networking.k8s.io", "services"]);
    cluster.client.delete(services, "default", "web");
    expect(addresses(cluster, "web")).toEqual([]);
  });

  test("are absent for a headless Service and an ExternalName", () => {
    const cluster = bare();
    apply(cluster, "headless", { clusterIP: "None" });
    apply(cluster, "outside", { type: "ExternalName", externalName: "example.com", ports: [] });
    expect(addresses(cluster, "headless")).toEqual([]);
    expect(addresses(cluster, "outside")).toEqual([]);
  });

  test("are released by a change to ExternalName, and allocated anew by a change back", () => {
    const cluster = bare();
    const { spec } = apply(cluster, "web");
    edit(cluster, "web", { type: "ExternalName", externalName: "example.com" });
    expect(specOf(cluster, "web").clusterIP).toBeUndefined();
    expect(addresses(cluster, "web")).toEqual([]);
    cluster.edit(services, "default", "web", (next) => {
      next.spec.type = "ClusterIP";
      delete next.spec.externalName;
    });
    expect(addresses(cluster, "web")).toEqual([specOf(cluster, "web").clusterIP]);
    expect(spec.clusterIP).toBeDefined();
  });

  test("are rejected if they are allocated already or outside of all ranges", () => {
    const cluster = bare();
    cluster.apply(ipAddresses, {
      metadata: { name: "10.96.7.7" },
      spec: { parentRef: { group: "gateway.networking.k8s.io", resource: "gateways", name: "gw" } },
    });
    expect(() => apply(cluster, "a", { clusterIP: "10.96.7.7" })).toThrow(
      'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.96.7.7"]: failed to allocate IP 10.96.7.7: provided IP is already allocated',
    );
    expect(() => apply(cluster, "b", { clusterIP: "10.200.0.5" })).toThrow(
      "failed to allocate IP 10.200.0.5: the provided network does not match the current range",
    );
    expect(() => apply(cluster, "c", { clusterIP: "10.96.0.0" })).toThrow("does not match the current range");
  });

  test("may be in additional ranges, except ranges that are being deleted", () => {
    const cluster = bare();
    cluster.apply(serviceCidrs, { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/24"] } });
    cluster.step(0);
    apply(cluster, "a", { clusterIP: "10.200.0.5" });
    cluster.client.delete(serviceCidrs, "", "more");
    cluster.step(0);
    expect(() => apply(cluster, "b", { clusterIP: "10.200.0.6" })).toThrow("does not match the current range");
  });

  test("are an internal error with the Service's name if the range is full", () => {
    const cluster = bare();
    cluster.apply(serviceCidrs, { metadata: { name: "small" }, spec: { cidrs: ["10.200.0.0/30"] } });
    cluster.client.delete(serviceCidrs, "", "kubernetes");
    apply(cluster, "a");
    apply(cluster, "b");
    expect(() => apply(cluster, "c")).toThrow(
      'Internal error occurred: failed to allocate a serviceIP for Service "c": range is full',
    );
  });

  test("are not allocated by a dry run, which shows the network address", () => {
    const cluster = bare();
    const actor = { user: { name: "a", groups: [] }, origin: "test", manager: "test" };
    const before = cluster.client.count(ipAddresses);
    const dryRun = create(cluster.registry, services, "default", structuredClone(draftService("dry")), actor, {
      dryRun: true,
    });
    expect(dryRun.spec.clusterIP).toBe("10.96.0.0");
    expect(cluster.client.count(ipAddresses)).toBe(before);
  });
});

const draftService = (name: string): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { ports: [{ port: 80, protocol: "TCP" }] },
  status: { loadBalancer: {} },
});

describe("a dual-stack cluster", () => {
  test("gives one family by default, and both on request", () => {
    const cluster = dual();
    expect(apply(cluster, "one").spec).toMatchObject({ ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
    const both = apply(cluster, "both", { ipFamilyPolicy: "RequireDualStack" }).spec;
    expect(both.ipFamilies).toEqual(["IPv4", "IPv6"]);
    expect(both.clusterIPs?.[1]).toMatch(/^fd00:10:96::/);
    expect(addresses(cluster, "both").toSorted()).toEqual(both.clusterIPs?.toSorted());
    const six = apply(cluster, "six", { ipFamilies: ["IPv6"] }).spec;
    expect(six.clusterIP).toMatch(/^fd00:10:96::/);
    expect(six.clusterIPs).toHaveLength(1);
  });

  test("gives a Service its second address on request, and releases it", () => {
    const cluster = dual();
    const first = apply(cluster, "web").spec.clusterIP;
    edit(cluster, "web", { ipFamilyPolicy: "PreferDualStack" });
    const upgraded = specOf(cluster, "web");
    expect(upgraded.clusterIPs?.[0]).toBe(first);
    expect(upgraded.clusterIPs).toHaveLength(2);
    expect(addresses(cluster, "web")).toHaveLength(2);
    edit(cluster, "web", { ipFamilyPolicy: "SingleStack" });
    expect(specOf(cluster, "web")).toMatchObject({ clusterIPs: [first], ipFamilies: ["IPv4"] });
    expect(addresses(cluster, "web")).toEqual([first]);
  });

  test("derives families from the requested addresses", () => {
    const cluster = dual();
    const { spec } = apply(cluster, "web", {
      ipFamilyPolicy: "PreferDualStack",
      clusterIPs: ["fd00:10:96::99", "10.96.0.99"],
      clusterIP: "fd00:10:96::99",
    });
    expect(spec.ipFamilies).toEqual(["IPv6", "IPv4"]);
    expect(addresses(cluster, "web").toSorted()).toEqual(["10.96.0.99", "fd00:10:96::99"]);
  });

  test("in single-stack mode rejects RequireDualStack, and gives one address for PreferDualStack", () => {
    const cluster = bare();
    expect(() => apply(cluster, "a", { ipFamilyPolicy: "RequireDualStack" })).toThrow(
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    );
    expect(apply(cluster, "b", { ipFamilyPolicy: "PreferDualStack" }).spec.ipFamilies).toEqual(["IPv4"]);
  });
});

describe("the repair of addresses", () => {
  test("creates a deleted address again, with an event on the Service", () => {
    const cluster = bare();
    const service = apply(cluster, "web");
    const ip = service.spec.clusterIP ?? "";
    cluster.client.delete(ipAddresses, "", ip);
    cluster.step(0);
    expect(addresses(cluster, "web")).toEqual([ip]);
    expect(cluster.eventsOf(service)).toContain(
      `ClusterIPNotAllocated: Cluster IP [IPv4]: ${ip} is not allocated; repairing`,
    );
  });

  test("creates an address without its labels again", () => {
    const cluster = bare();
    const ip = apply(cluster, "web").spec.clusterIP ?? "";
    cluster.edit(ipAddresses, "", ip, ({ metadata }) => {
      delete metadata.labels;
    });
    cluster.step(0);
    expect(cluster.get(ipAddresses, "", ip).metadata.labels).toMatchObject({
      "ipaddress.kubernetes.io/ip-family": "IPv4",
    });
  });

  test("deletes an address without a Service after a minute, except another manager's", () => {
    const cluster = bare();
    const parentRef = { resource: "services", namespace: "default", name: "absent" };
    const labels = { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" };
    cluster.apply(ipAddresses, { metadata: { name: "10.96.3.3", labels }, spec: { parentRef } });
    cluster.apply(ipAddresses, { metadata: { name: "10.96.3.4" }, spec: { parentRef } });
    cluster.step(59_000);
    expect(addresses(cluster, "absent")).toEqual(["10.96.3.3", "10.96.3.4"]);
    cluster.step(2_000);
    expect(addresses(cluster, "absent")).toEqual(["10.96.3.4"]);
  });

  test("deletes an address whose Service does not use it", () => {
    const cluster = bare();
    apply(cluster, "web");
    const parentRef = { resource: "services", namespace: "default", name: "web" };
    const labels = { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" };
    const stray = cluster.apply(ipAddresses, { metadata: { name: "10.96.3.3", labels }, spec: { parentRef } });
    cluster.step(0);
    expect(cluster.client.get(ipAddresses, "", "10.96.3.3")).toBeUndefined();
    expect(cluster.eventsOf(stray)).toEqual([
      "IPAddressWrongReference: IPAddress: 10.96.3.3 for Service default/web has a wrong reference; cleaning up",
    ]);
  });
});
