// The export of a cluster, and its import into another cluster.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { toYaml } from "../../shared/schema/yaml/write.ts";
import { exportedObjects } from "../../shared/state/export.ts";
import { readStateFile } from "../../shared/state/read-state.ts";
import { applyManifests } from "../../worker/cluster/manifests/manifests.ts";
import { newServer, type TestServer } from "../api/server.ts";
import { newCluster } from "../cluster.ts";
import { stateFile, stateOfCluster } from "./files.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const createdObjects: readonly (readonly [path: string, body: object])[] = [
  ["/api/v1/namespaces", { metadata: { name: "shop" } }],
  [
    "/apis/apps/v1/namespaces/shop/deployments",
    { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } },
  ],
  [
    "/api/v1/namespaces/shop/services",
    { metadata: { name: "web" }, spec: { type: "NodePort", selector: labels, ports: [{ port: 80 }] } },
  ],
  [
    "/api/v1/namespaces/shop/services",
    {
      metadata: { name: "fixed" },
      spec: { type: "NodePort", selector: labels, ports: [{ port: 80, nodePort: 30100 }] },
    },
  ],
  ["/api/v1/namespaces/shop/pods", { metadata: { name: "alone" }, spec: template.spec }],
  [
    "/apis/batch/v1/namespaces/shop/jobs",
    { metadata: { name: "once" }, spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
  ],
  [
    "/api/v1/namespaces/shop/persistentvolumeclaims",
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
  ["/api/v1/namespaces/shop/configmaps", { metadata: { name: "c" }, data: { a: "b" } }],
  [
    "/api/v1/namespaces/shop/secrets",
    {
      metadata: { name: "t", annotations: { "kubernetes.io/service-account.name": "default" } },
      type: "kubernetes.io/service-account-token",
    },
  ],
  ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition],
  [
    "/apis/example.com/v1/namespaces/shop/widgets",
    { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, size: 3 },
  ],
];

async function withObjects(): Promise<TestServer> {
  const server = newServer();
  for (const [path, body] of createdObjects) {
    const answer = await server.ask("POST", path, { body });
    expect([path, answer.code, answer.code === 201 ? "" : answer.text]).toEqual([path, 201, ""]);
    server.cluster.runUntilQuiet();
  }
  return server;
}

function exported({ cluster }: Pick<TestServer, "cluster">): KubeObject[] {
  return [...exportedObjects(readStateFile(stateOfCluster(cluster)))];
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name ?? ""}`;
}

describe("F6: an export", () => {
  test("is empty for a new cluster", () => {
    const cluster = newCluster();
    cluster.runUntilQuiet();
    expect(exported({ cluster }).map(nameOf)).toEqual([]);
  });

  test("contains users' objects, namespaces and definitions first, without objects of controllers", async () => {
    const names = exported(await withObjects()).map(nameOf);
    expect(names.slice(0, 2)).toEqual(["Namespace shop", "CustomResourceDefinition widgets.example.com"]);
    expect([...names].sort()).toEqual(
      [
        ...["Deployment shop/web", "Service shop/web", "Service shop/fixed", "Pod shop/alone", "Job shop/once"],
        ...["PersistentVolumeClaim shop/data", "ConfigMap shop/c", "Secret shop/t", "Widget shop/w", "Namespace shop"],
        "CustomResourceDefinition widgets.example.com",
      ].sort(),
    );
  });

  test("excludes what the cluster added: uids, versions, statuses, addresses, nodes, volumes and tokens", async () => {
    const byName = new Map(
      exported(await withObjects()).map((object) => [nameOf(object), object as KubeObject & Record<string, unknown>]),
    );
    for (const object of byName.values()) {
      expect(
        Object.keys(object.metadata).filter((key) => !["name", "namespace", "labels", "annotations"].includes(key)),
      ).toEqual([]);
      expect(object["status"]).toBeUndefined();
    }
    const ports = (name: string) => byName.get(name)?.["spec"] as { ports: object[]; clusterIP?: string };
    expect(ports("Service shop/web")).toMatchObject({ ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] });
    expect(JSON.stringify(ports("Service shop/web"))).not.toMatch(/nodePort|clusterIP/);
    expect(ports("Service shop/fixed").ports).toMatchObject([{ nodePort: 30100 }]);
    const pod = byName.get("Pod shop/alone")?.["spec"];
    expect(JSON.stringify(pod)).not.toMatch(/kube-api-access|nodeName/);
    expect(JSON.stringify(byName.get("Job shop/once"))).not.toMatch(/controller-uid|selector/);
    expect(JSON.stringify(byName.get("PersistentVolumeClaim shop/data"))).not.toMatch(/volumeName|bind-completed/);
    expect(byName.get("Deployment shop/web")?.metadata.annotations).toBeUndefined();
    expect(byName.get("Secret shop/t")?.["data"]).toBeUndefined();
  });

  test("is imported by another cluster, which then has the same export", async () => {
    const objects = exported(await withObjects());
    const yaml = objects.map((object) => `---\n${toYaml(object)}`).join("");
    const otherServer = newServer();
    for (const _ of applyManifests(otherServer.cluster.registry, yaml)) otherServer.cluster.runUntilQuiet();
    otherServer.cluster.runUntilQuiet();
    expect(exported(otherServer)).toEqual(objects);
  });

  test("contains the cluster's own objects that a user changed, and no objects that are being deleted", async () => {
    const server = newServer({ controllers: [] });
    const headers = { "content-type": "application/merge-patch+json" };
    await server.ask("PATCH", "/api/v1/nodes/node-1", {
      headers,
      body: '{"metadata":{"labels":{"disk":"ssd"}}}',
    });
    const [node, ...more] = exported(server);
    expect([node && nameOf(node), node?.metadata.labels?.["disk"], more]).toEqual(["Node node-1", "ssd", []]);
    const leaving = { name: "a", namespace: "default", deletionTimestamp: "2026-01-01T00:00:00Z" };
    const file = stateFile([["configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata: leaving }]]);
    expect([...exportedObjects(readStateFile(file))]).toEqual([]);
  });
});
