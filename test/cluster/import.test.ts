// Imports of another cluster's objects with owners and statuses, and the reported exceptions.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { toYaml } from "../../shared/schema/yaml/write.ts";
import { givenObjects } from "../../worker/cluster/manifests/imported-object.ts";
import { importObjects } from "../../worker/cluster/manifests/import.ts";
import { newServer } from "../api/server.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

type Loose = KubeObject & { spec?: Record<string, unknown>; status?: Record<string, unknown>; data?: unknown };

const uid = (at: number) => `aaaaaaaa-0000-4000-8000-${String(at).padStart(12, "0")}`;
const createdAt = "2025-06-01T10:00:00Z";

function object(
  apiVersion: string,
  kind: string,
  name: string,
  at: number,
  more: object = {},
  metadata: object = {},
): object {
  const server = {
    uid: uid(at),
    resourceVersion: "4711",
    creationTimestamp: createdAt,
    generation: 7,
    managedFields: [{ manager: "x" }],
  };
  return { apiVersion, kind, metadata: { name, namespace: "shop", ...server, ...metadata }, ...more };
}

const owner = (apiVersion: string, kind: string, name: string, at: number) => ({
  ownerReferences: [{ apiVersion, kind, name, uid: uid(at), controller: true }],
});
const labels = { app: "web", "pod-template-hash": "abc" };
const selector = { matchLabels: { app: "web" } };
const containers = [{ name: "web", image: "registry.example.com/shop:1" }];
const template = { metadata: { labels }, spec: { containers } };
const podStatus = {
  phase: "Running",
  podIP: "10.42.0.7",
  startTime: createdAt,
  conditions: [
    {
      type: "Ready",
      status: "False",
      reason: "ContainersNotReady",
      lastTransitionTime: createdAt,
      lastProbeTime: null,
    },
  ],
  containerStatuses: [
    {
      name: "web",
      image: "registry.example.com/shop:1",
      imageID: "",
      ready: false,
      restartCount: 41,
      state: { waiting: { reason: "CrashLoopBackOff" } },
    },
  ],
};
const node = object(
  "v1",
  "Node",
  "worker-a",
  1,
  {
    spec: { podCIDR: "10.42.0.0/24" },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          lastHeartbeatTime: createdAt,
          lastTransitionTime: createdAt,
        },
      ],
      nodeInfo: { kubeletVersion: "v1.31.0" },
    },
  },
  { namespace: undefined },
);
const pod = (name: string, at: number, spec: object = {}, metadata: object = {}) =>
  object(
    "v1",
    "Pod",
    name,
    at,
    { spec: { containers, nodeName: "worker-a", priority: 5, ...spec }, status: podStatus },
    { labels, ...metadata },
  );

const cluster = [
  pod("web-1", 12, {}, owner("apps/v1", "ReplicaSet", "web", 11)),
  object(
    "apps/v1",
    "ReplicaSet",
    "web",
    11,
    {
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
      status: { replicas: 1, observedGeneration: 7 },
    },
    { labels, ...owner("apps/v1", "Deployment", "web", 10) },
  ),
  object("apps/v1", "Deployment", "web", 10, {
    spec: { replicas: 1, selector, template },
    status: { replicas: 1, unavailableReplicas: 1, observedGeneration: 7 },
  }),
  node,
  object("v1", "Service", "web", 13, {
    spec: { clusterIP: "10.43.1.2", clusterIPs: ["10.43.1.2"], ports: [{ port: 80 }], selector: { app: "web" } },
    status: { loadBalancer: {} },
  }),
  object("v1", "ServiceAccount", "default", 14),
  object(
    "v1",
    "Namespace",
    "shop",
    2,
    { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } },
    { namespace: undefined },
  ),
];

function list(items: readonly object[]): string {
  return toYaml({ apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items });
}

function importInto(items: readonly object[] | string, test: TestCluster = newCluster({ base: "layered" })) {
  const steps = importObjects(test.registry, givenObjects(typeof items === "string" ? items : list(items)));
  for (;;) {
    const { done, value } = steps.next();
    if (done)
      return {
        ...test,
        told: value.notImported.map(({ kind, namespace, name, reason }) => [kind, namespace, name, reason]),
      };
  }
}

function findObject(
  { registry }: Pick<TestCluster, "registry">,
  apiVersion: string,
  kind: string,
  name: string,
  namespace = "shop",
): Loose | undefined {
  const { resource = "", namespaced = false } = registry.catalogue.byKind(apiVersion, kind) ?? {};
  return registry.store.get({ resource, namespace: namespaced ? namespace : "", name });
}

describe("F7: an imported object", () => {
  test("keeps its uid, age, owners and status", () => {
    const of = importInto(cluster);
    expect(of.told).toEqual([
      ["Service", "shop", "web", "its address 10.43.1.2 is not of the sandbox's range 10.96.0.0/12: it has another"],
    ]);
    const before = findObject(of, "v1", "Pod", "web-1");
    expect(before?.metadata).toMatchObject({
      uid: uid(12),
      creationTimestamp: createdAt,
      ownerReferences: [{ uid: uid(11) }],
    });
    expect(before?.status).toMatchObject(podStatus);
    of.step(3_600_000);
    expect(of.bugs).toEqual([]);
    const after = findObject(of, "v1", "Pod", "web-1");
    expect(after?.status).toEqual(before?.status);
    expect([...of.registry.store.list({ resource: "pods", namespace: "shop" })].length).toBe(1);
    expect(
      [...of.registry.store.list({ resource: "replicasets.apps" })].filter(
        ({ metadata }) => metadata.namespace === "shop",
      ).length,
    ).toBe(1);
    expect(findObject(of, "v1", "Node", "worker-a")).toMatchObject({
      metadata: { uid: uid(1) },
      spec: { podCIDR: "10.42.0.0/24" },
      status: { nodeInfo: { kubeletVersion: "v1.31.0" } },
    });
    expect(findObject(of, "v1", "Node", "worker-a")?.spec?.["taints"]).toBeUndefined();
    const web = findObject(of, "apps/v1", "Deployment", "web");
    expect(web?.status?.["observedGeneration"]).toBe(web?.metadata.generation);
    expect(findObject(of, "v1", "Service", "web")?.spec?.["clusterIP"]).toMatch(/^10\.(9[6-9]|10\d|11[01])\./);
  });

  test("is rescheduled if its node was not imported", () => {
    const of = importInto(cluster.filter((item) => item !== node));
    expect(of.told).toContainEqual([
      "Pod",
      "shop",
      "web-1",
      "its node worker-a is not there: it waits for another, without its status",
    ]);
    expect(findObject(of, "v1", "Pod", "web-1")?.spec?.["nodeName"]).toBeUndefined();
    of.runUntilQuiet();
    expect(findObject(of, "v1", "Pod", "web-1")).toMatchObject({
      metadata: { uid: uid(12) },
      spec: { nodeName: expect.any(String) },
      status: { phase: "Running" },
    });
  });

  test("gets the namespace and the service account that the manifests lack", () => {
    const of = importInto([pod("alone", 12, { serviceAccountName: "shop", priorityClassName: "high" }), node]);
    expect(of.told).toEqual([
      ["Pod", "shop", "alone", "its account shop was not given: one without rights was made"],
      ["Pod", "shop", "alone", "its priority class high is not there"],
    ]);
    expect(findObject(of, "v1", "Namespace", "shop")).toBeDefined();
    of.runUntilQuiet();
    expect(findObject(of, "v1", "Pod", "alone")?.status?.["phase"]).toBe("Running");
  });

  test("loses owners that were not imported, and stays", () => {
    const absent = owner("example.com/v1", "Shop", "main", 99);
    const refused = object("apps/v1", "Deployment", "Bad Name", 98, { spec: { selector, template } });
    const of = importInto([
      object("v1", "ConfigMap", "a", 20, { data: { a: "b" } }, absent),
      object("v1", "ConfigMap", "b", 21, { data: { a: "b" } }, owner("apps/v1", "Deployment", "Bad Name", 98)),
      refused,
    ]);
    expect(of.told.map(([kind, , name, reason]) => [kind, name, (reason ?? "").split(":")[0]])).toEqual([
      ["ConfigMap", "a", "it came without its owner Shop main, which is not there"],
      ["Deployment", "Bad Name", 'Deployment.apps "Bad Name" is invalid'],
      ["ConfigMap", "b", "it came without its owner Deployment Bad Name, which is not there"],
    ]);
    of.runUntilQuiet();
    for (const name of ["a", "b"])
      expect(findObject(of, "v1", "ConfigMap", name)?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test("can be an instance of a definition that is imported with it", () => {
    const definition = object(
      "apiextensions.k8s.io/v1",
      "CustomResourceDefinition",
      "shops.example.com",
      30,
      {
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "shops", singular: "shop", kind: "Shop", listKind: "ShopList" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              subresources: { status: {} },
              schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          ],
        },
        status: {
          storedVersions: ["v1"],
          acceptedNames: { plural: "shops", singular: "shop", kind: "Shop", listKind: "ShopList" },
          conditions: [
            {
              type: "NamesAccepted",
              status: "True",
              reason: "NoConflicts",
              message: "",
              lastTransitionTime: createdAt,
            },
            {
              type: "Established",
              status: "True",
              reason: "InitialNamesAccepted",
              message: "",
              lastTransitionTime: createdAt,
            },
          ],
        },
      },
      { namespace: undefined },
    );
    const shop = object("example.com/v1", "Shop", "main", 31, { size: 3, status: { open: true } });
    const of = importInto([shop, definition]);
    expect(of.told).toEqual([]);
    expect(findObject(of, "example.com/v1", "Shop", "main")).toMatchObject({
      metadata: { uid: uid(31) },
      size: 3,
      status: { open: true },
    });
  });
});

describe("F7: the import reports", () => {
  test.each<[string, object, string]>([
    [
      "an unknown kind",
      object("example.com/v1", "Shop", "a", 1),
      'no matches for kind "Shop" in version "example.com/v1"',
    ],
    ["a kind that is not stored", object("v1", "ComponentStatus", "a", 1), "objects of this kind are not stored"],
    [
      "an object that was being deleted",
      object("v1", "ConfigMap", "a", 1, {}, { deletionTimestamp: createdAt }),
      "it was being deleted",
    ],
    ["a value that is not an object", { a: 1 }, "it has no apiVersion and kind"],
    ["an object without a name", object("v1", "ConfigMap", "", 1), "it has no name"],
    [
      "an object that every sandbox has",
      object("v1", "ConfigMap", "coredns", 1, {}, { namespace: "kube-system" }),
      "a new sandbox has one of that name, which stays as it is",
    ],
    [
      "an address",
      object("networking.k8s.io/v1", "IPAddress", "10.43.0.1", 1, {}, { namespace: undefined }),
      "the sandbox hands out addresses of its own",
    ],
    [
      "an unknown field",
      object("v1", "ConfigMap", "a", 1, { color: "red" }),
      "it came without fields that are not known: color",
    ],
    ["a value of the wrong type", object("v1", "ConfigMap", "a", 1, { data: 5 }), "json: cannot unmarshal"],
    [
      "a status that is refused",
      object("v1", "Service", "a", 1, {
        spec: { ports: [{ port: 80 }] },
        status: { loadBalancer: { ingress: [{ ip: "x" }] } },
      }),
      "it came without its status",
    ],
  ])("reports %s", (_, invalidObject, reason) => {
    const of = importInto([invalidObject, object("v1", "ConfigMap", "beside", 50)]);
    expect(of.told).toEqual([
      [expect.any(String), expect.any(String), expect.any(String), expect.stringContaining(reason)],
    ]);
    expect(findObject(of, "v1", "ConfigMap", "beside")).toBeDefined();
  });
});

test("F7: a uid that occurs twice is used once", () => {
  const of = importInto([
    object("v1", "ConfigMap", "a", 1),
    object("v1", "ConfigMap", "b", 1),
    object("v1", "ConfigMap", "c", 1, {}, { uid: "no uid" }),
  ]);
  const uids = ["a", "b", "c"].map((name) => findObject(of, "v1", "ConfigMap", name)?.metadata.uid);
  expect(new Set(uids).size).toBe(3);
  expect(uids[0]).toBe(uid(1));
  expect(uids[2]).not.toBe("no uid");
});

test("F7: invalid YAML is refused", () => {
  expect(() => importInto("a: [")).toThrow("error converting YAML to JSON");
});

test("F7: an export of a sandbox is imported unchanged, except the objects that every cluster has", async () => {
  const server = newServer();
  const body = {
    metadata: { name: "web" },
    spec: { replicas: 2, selector, template: { metadata: { labels: selector.matchLabels }, spec: { containers } } },
  };
  await server.ask("POST", "/apis/apps/v1/namespaces/default/deployments", { body });
  server.cluster.runUntilQuiet();
  const lists = await Promise.all(
    ["/apis/apps/v1/deployments", "/apis/apps/v1/replicasets", "/api/v1/pods", "/api/v1/nodes"].map(async (path) => {
      const { body } = await server.ask("GET", path);
      // As kubectl prints them.
      return body.items.map((item) => ({ ...item, apiVersion: body.apiVersion, kind: body.kind.replace(/List$/, "") }));
    }),
  );
  const of = importInto(lists.flat(), newCluster({ nodes: 0 }));
  const left = of.told.filter(([, namespace]) => namespace === "default");
  expect(left).toEqual([]);
  of.runUntilQuiet();
  const pods = [...of.registry.store.list({ resource: "pods", namespace: "default" })] as Loose[];
  expect(pods.map(({ status }) => status?.["phase"])).toEqual(["Running", "Running"]);
  const before = [...server.cluster.registry.store.list({ resource: "pods", namespace: "default" })];
  expect(pods.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
});
