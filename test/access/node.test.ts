// The node authorizer: a node reads the objects that its pods reference, and writes its own.
import { describe, expect, test } from "vitest";
import type { Attributes } from "../../shared/k8s/authorizer.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../cluster.ts";

const node = "node-1";
const user = { name: `system:node:${node}`, groups: ["system:nodes", "system:authenticated"] };

function attributesOf(verb: string, resource: string, more: Partial<Attributes> = {}): Attributes {
  const [plural = "", ...group] = resource.split(".");
  const none = { isResource: true, subresource: "", namespace: "", name: "", path: "" };
  return { ...none, verb, plural, group: group.join("."), ...more };
}

function fixture() {
  const cluster = newCluster({ nodes: 2 });
  cluster.runUntilQuiet();
  cluster.client.create(pods, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      nodeName: node,
      containers: [
        {
          name: "c",
          image: "nginx",
          envFrom: [{ configMapRef: { name: "from-env" } }],
          env: [{ name: "A", valueFrom: { secretKeyRef: { name: "from-key", key: "a" } } }],
        },
      ],
      imagePullSecrets: [{ name: "pull" }],
      volumes: [
        { name: "a", secret: { secretName: "mounted" } },
        { name: "b", projected: { sources: [{ configMap: { name: "projected" } }] } },
      ],
    },
  });
  const decide = (attributes: Attributes) => cluster.registry.authorizer.decide(user, attributes);
  return { cluster, decide };
}

describe("G3: a node", () => {
  test("reads the Secrets and ConfigMaps of its pods, and no others", () => {
    const { decide } = fixture();
    const may = (plural: string, name: string) =>
      decide(attributesOf("get", plural, { namespace: "default", name })).allowed;
    expect(["from-key", "pull", "mounted"].map((name) => may("secrets", name))).toEqual([true, true, true]);
    expect(["from-env", "projected", "kube-root-ca.crt"].map((name) => may("configmaps", name))).toEqual([
      true,
      true,
      true,
    ]);
    expect(may("secrets", "other")).toBe(false);
    expect(decide(attributesOf("get", "secrets", { namespace: "default", name: "other" })).reason).toBe(
      "no relationship found between node 'node-1' and this object",
    );
    expect(decide(attributesOf("list", "secrets", { namespace: "default" })).reason).toBe("No Object name found");
    expect(decide(attributesOf("delete", "secrets", { namespace: "default", name: "pull" })).reason).toBe(
      "can only read resources of this type",
    );
  });

  test("requests tokens of its pods' accounts only", () => {
    const { decide } = fixture();
    const token = (name: string) =>
      decide(attributesOf("create", "serviceaccounts", { namespace: "default", name, subresource: "token" })).allowed;
    expect([token("default"), token("other")]).toEqual([true, false]);
  });

  test("reads only itself, and its pods by selector", () => {
    const { decide } = fixture();
    expect(decide(attributesOf("get", "nodes", { name: node })).allowed).toBe(true);
    expect(decide(attributesOf("get", "nodes", { name: "node-2" })).reason).toBe(
      "node 'node-1' cannot read 'node-2', only its own Node object",
    );
    expect(decide(attributesOf("list", "pods")).reason).toBe(
      "can only list/watch pods with spec.nodeName field selector",
    );
    expect(decide(attributesOf("list", "pods", { fields: [["spec.nodeName", node]] })).allowed).toBe(true);
    expect(decide(attributesOf("get", "pods", { namespace: "default", name: "web" })).allowed).toBe(true);
    expect(
      decide(attributesOf("update", "pods", { namespace: "default", name: "web", subresource: "status" })).allowed,
    ).toBe(true);
  });

  test("writes its own lease", () => {
    const { decide } = fixture();
    const lease = (namespace: string, name: string) =>
      decide(attributesOf("update", "leases.coordination.k8s.io", { namespace, name }));
    expect(lease("kube-node-lease", node).allowed).toBe(true);
    expect(lease("kube-node-lease", "node-2").allowed).toBe(false);
    expect(lease("default", node).reason).toBe('can only access leases in the "kube-node-lease" system namespace');
  });
});
