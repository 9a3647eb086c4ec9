// Plugins that check the user: certificate signers, owners, nodes; and plugins that change or reject writes of all users.
import { describe, expect, test } from "vitest";
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import { pluginsWith } from "../../worker/admission/catalogue.ts";
import { certificateSigningRequests } from "../../worker/kinds/certificates/certificate-signing-request.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { localClient } from "../../worker/registry/local-client.ts";
import { certificateRequest } from "../certificate-request.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

const apiGroup = "rbac.authorization.k8s.io";

function cluster(names: Parameters<typeof pluginsWith>[0] = []): TestCluster {
  const testCluster = newCluster({ nodes: 2, controllers: [], plugins: pluginsWith(names) });
  testCluster.client.create(serviceAccounts, { metadata: { name: "default", namespace: "kube-system" } });
  return testCluster;
}

function as(of: TestCluster, name: string, groups: readonly string[] = []) {
  const user = { name, groups: [...groups, "system:authenticated"] };
  return localClient(of.registry, { actor: () => ({ user, origin: "test", manager: "test" }) });
}

const node = (of: TestCluster, name: string) => as(of, `system:node:${name}`, ["system:nodes"]);

function grant(of: TestCluster, user: string, verbs: string[], group: string, resource: string, names: string[] = []) {
  const rule = {
    verbs,
    apiGroups: [group],
    resources: [resource],
    ...(names.length > 0 ? { resourceNames: names } : {}),
  };
  const name = `${user}-${verbs.join("-")}-${resource.replace("/", "-")}`;
  of.client.create(clusterRoles, { metadata: { name }, rules: [rule] });
  const subjects = [{ kind: "User", apiGroup, name: user }];
  of.client.create(clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name },
    subjects,
  });
}

const spec = { containers: [{ name: "c", image: "nginx" }] };

describe("CertificateApproval and CertificateSigning", () => {
  test("let only users who may approve for the signer decide on a request", () => {
    const of = cluster();
    const request = btoa(certificateRequest("/CN=ada").request);
    const created = of.client.create(certificateSigningRequests, {
      metadata: { name: "a" },
      spec: { request, signerName: "example.com/own", usages: ["client auth"] },
    });
    const condition = { type: "Approved", status: "True", reason: "Test", message: "" };
    const approved = { ...created, status: { conditions: [condition] } };
    const jane = as(of, "jane");
    expect(() => jane.updateSubresource(certificateSigningRequests, "approval", approved)).toThrow(
      'user not permitted to approve requests with signerName "example.com/own"',
    );
    grant(of, "jane", ["approve"], "certificates.k8s.io", "signers", ["example.com/*"]);
    const decided = jane.updateSubresource(certificateSigningRequests, "approval", approved);
    expect(decided.status.conditions?.map(({ type }) => type)).toEqual(["Approved"]);
  });
});

describe("PodTopologyLabels", () => {
  test("gives a pod its node's zone and region when it is bound", () => {
    const of = cluster();
    of.edit(nodes, "", "node-1", (draft: Node) => {
      draft.metadata.labels = { ...draft.metadata.labels, "topology.kubernetes.io/zone": "z1", other: "x" };
    });
    const pod = of.client.create(pods, { metadata: { name: "a", namespace: "kube-system" }, spec });
    of.client.bind("kube-system", "a", pod.metadata.uid ?? "", "node-1");
    expect(of.get(pods, "kube-system", "a").metadata.labels).toEqual({ "topology.kubernetes.io/zone": "z1" });
  });
});

describe("AlwaysPullImages", () => {
  test("sets the pull policy of every pod", () => {
    const of = cluster(["AlwaysPullImages"]);
    const container = { name: "c", image: "nginx:1.2", imagePullPolicy: "Never" as const };
    of.client.create(pods, {
      metadata: { name: "a", namespace: "kube-system" },
      spec: { containers: [container] },
    });
    const pod = of.get(pods, "kube-system", "a");
    expect(pod.spec.containers[0]?.imagePullPolicy).toBe("Always");
  });
});

describe("DenyServiceExternalIPs", () => {
  test("rejects an address that the Service did not have", () => {
    const of = cluster(["DenyServiceExternalIPs"]);
    const draft = {
      metadata: { name: "a", namespace: "default" },
      spec: { ports: [{ port: 80 }], externalIPs: ["1.2.3.4"] },
    };
    expect(() => of.client.create(services, draft as never)).toThrow(
      'services "a" is forbidden: Use of external IPs is denied by admission control',
    );
  });
});

describe("OwnerReferencesPermissionEnforcement", () => {
  test("requires permission to finalize the owner for a blocking reference", () => {
    const of = cluster(["OwnerReferencesPermissionEnforcement"]);
    const owner = of.client.create(configMaps, { metadata: { name: "owner", namespace: "default" } });
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" };
    const draft = (name: string) => ({
      metadata: { name, namespace: "default", ownerReferences: [{ ...reference, blockOwnerDeletion: true }] },
    });
    const jane = as(of, "jane");
    expect(() => jane.create(configMaps, draft("a"))).toThrow(
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on",
    );
    grant(of, "jane", ["update"], "", "configmaps/finalizers");
    jane.create(configMaps, draft("a"));
  });

  test("requires permission to delete the object for setting an owner", () => {
    const of = cluster(["OwnerReferencesPermissionEnforcement"]);
    const owner = of.client.create(configMaps, { metadata: { name: "owner", namespace: "default" } });
    const configMap = of.client.create(configMaps, { metadata: { name: "a", namespace: "default" } });
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" };
    const owned = { ...configMap, metadata: { ...configMap.metadata, ownerReferences: [reference] } };
    expect(() => as(of, "jane").update(configMaps, owned)).toThrow(
      "cannot set an ownerRef on a resource you can't delete",
    );
  });
});

describe("NodeRestriction", () => {
  test("lets a node change only itself, without the labels and taints that others trust", () => {
    const of = cluster(["NodeRestriction"]);
    const currentNode = () => of.get(nodes, "", "node-1");
    const labelled = (labels: Record<string, string>) => ({
      ...currentNode(),
      metadata: { ...currentNode().metadata, labels: { ...currentNode().metadata.labels, ...labels } },
    });
    node(of, "node-1").update(nodes, labelled({ own: "x", "node.kubernetes.io/own": "x" }));
    expect(() => node(of, "node-2").update(nodes, labelled({}))).toThrow(
      'nodes "node-1" is forbidden: node "node-2" is not allowed to modify node "node-1"',
    );
    expect(() => node(of, "node-1").update(nodes, labelled({ "node-restriction.kubernetes.io/a": "b" }))).toThrow(
      "is not allowed to modify labels: node-restriction.kubernetes.io/a",
    );
    const taints = [{ key: "a", effect: "NoSchedule" as const }];
    expect(() =>
      node(of, "node-1").update(nodes, { ...currentNode(), spec: { ...currentNode().spec, taints } }),
    ).toThrow('node "node-1" is not allowed to modify taints');
  });

  test("lets a node create only its own mirror pods, and delete only its pods", () => {
    const of = cluster(["NodeRestriction"]);
    const ownPod = { ...spec, nodeName: "node-1", automountServiceAccountToken: false };
    const pod = { metadata: { name: "a", namespace: "kube-system" }, spec: ownPod };
    expect(() => node(of, "node-1").create(pods, pod)).toThrow(
      'pod does not have "kubernetes.io/config.mirror" annotation, node "node-1" can only create mirror pods',
    );
    of.client.create(pods, pod);
    expect(() => node(of, "node-2").delete(pods, "kube-system", "a")).toThrow(
      'node "node-2" can only delete pods with spec.nodeName set to itself',
    );
    node(of, "node-1").delete(pods, "kube-system", "a", { gracePeriodSeconds: 0 });
  });
});
