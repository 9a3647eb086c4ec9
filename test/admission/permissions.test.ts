// Plugins that ask who writes: certificates' signers, owners, nodes; and those that change or deny for everyone.
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
  const made = newCluster({ nodes: 2, controllers: [], plugins: pluginsWith(names) });
  made.client.create(serviceAccounts, { metadata: { name: "default", namespace: "kube-system" } });
  return made;
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
  test("only who may approve for its signer decides on a request", () => {
    const of = cluster();
    const request = btoa(certificateRequest("/CN=ada").request);
    const made = of.client.create(certificateSigningRequests, {
      metadata: { name: "a" },
      spec: { request, signerName: "example.com/own", usages: ["client auth"] },
    });
    const condition = { type: "Approved", status: "True", reason: "Test", message: "" };
    const approved = { ...made, status: { conditions: [condition] } };
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
  test("a pod gets its node's zone and region when it is bound", () => {
    const of = cluster();
    of.edit(nodes, "", "node-1", (one: Node) => {
      one.metadata.labels = { ...one.metadata.labels, "topology.kubernetes.io/zone": "z1", other: "x" };
    });
    const pod = of.client.create(pods, { metadata: { name: "a", namespace: "kube-system" }, spec });
    of.client.bind("kube-system", "a", pod.metadata.uid ?? "", "node-1");
    expect(of.get(pods, "kube-system", "a").metadata.labels).toEqual({ "topology.kubernetes.io/zone": "z1" });
  });
});

describe("AlwaysPullImages", () => {
  test("makes every pod pull its images", () => {
    const of = cluster(["AlwaysPullImages"]);
    const container = { name: "c", image: "nginx:1.2", imagePullPolicy: "Never" as const };
    of.client.create(pods, {
      metadata: { name: "a", namespace: "kube-system" },
      spec: { containers: [container] },
    });
    const made = of.get(pods, "kube-system", "a");
    expect(made.spec.containers[0]?.imagePullPolicy).toBe("Always");
  });
});

describe("DenyServiceExternalIPs", () => {
  test("denies an address that the Service has not had", () => {
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
  test("who lets an object block its owner's deletion must be allowed to finalize the owner", () => {
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

  test("who gives an object an owner must be allowed to delete it", () => {
    const of = cluster(["OwnerReferencesPermissionEnforcement"]);
    const owner = of.client.create(configMaps, { metadata: { name: "owner", namespace: "default" } });
    const made = of.client.create(configMaps, { metadata: { name: "a", namespace: "default" } });
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" };
    const owned = { ...made, metadata: { ...made.metadata, ownerReferences: [reference] } };
    expect(() => as(of, "jane").update(configMaps, owned)).toThrow(
      "cannot set an ownerRef on a resource you can't delete",
    );
  });
});

describe("NodeRestriction", () => {
  test("a node changes itself alone, without the labels and taints that others trust", () => {
    const of = cluster(["NodeRestriction"]);
    const one = () => of.get(nodes, "", "node-1");
    const labelled = (labels: Record<string, string>) => ({
      ...one(),
      metadata: { ...one().metadata, labels: { ...one().metadata.labels, ...labels } },
    });
    node(of, "node-1").update(nodes, labelled({ own: "x", "node.kubernetes.io/own": "x" }));
    expect(() => node(of, "node-2").update(nodes, labelled({}))).toThrow(
      'nodes "node-1" is forbidden: node "node-2" is not allowed to modify node "node-1"',
    );
    expect(() => node(of, "node-1").update(nodes, labelled({ "node-restriction.kubernetes.io/a": "b" }))).toThrow(
      "is not allowed to modify labels: node-restriction.kubernetes.io/a",
    );
    const taints = [{ key: "a", effect: "NoSchedule" as const }];
    expect(() => node(of, "node-1").update(nodes, { ...one(), spec: { ...one().spec, taints } })).toThrow(
      'node "node-1" is not allowed to modify taints',
    );
  });

  test("a node makes only mirrors of its own pods, and deletes only what it runs", () => {
    const of = cluster(["NodeRestriction"]);
    const own = { ...spec, nodeName: "node-1", automountServiceAccountToken: false };
    const pod = { metadata: { name: "a", namespace: "kube-system" }, spec: own };
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
