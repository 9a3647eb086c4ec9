// RBAC: permissions by roles and bindings, their reasons, and privilege escalation.
import { describe, expect, test } from "vitest";
import type { Attributes, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { PolicyRule, Subject } from "../../shared/k8s/api/rbac-v1.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { roleBindings } from "../../worker/kinds/rbac/role-binding.ts";
import { roles } from "../../worker/kinds/rbac/role.ts";
import { localClient } from "../../worker/registry/local-client.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

const apiGroup = "rbac.authorization.k8s.io";
const jane: UserInfo = { name: "jane", groups: ["devs", "system:authenticated"] };
const janeSubject = { kind: "User", apiGroup, name: "jane" };

function read(verb: string, plural: string, more: Partial<Attributes> = {}): Attributes {
  return { isResource: true, verb, group: "", plural, subresource: "", namespace: "", name: "", path: "", ...more };
}

function at(verb: string, path: string): Attributes {
  return { ...read(verb, ""), isResource: false, path };
}

function bind(cluster: TestCluster, name: string, role: string, subject: Subject = janeSubject): void {
  const roleRef = { apiGroup, kind: "ClusterRole", name: role };
  cluster.client.create(clusterRoleBindings, { metadata: { name }, roleRef, subjects: [subject] });
}

function makeRole(cluster: TestCluster, name: string, ...rules: PolicyRule[]): void {
  cluster.client.create(clusterRoles, { metadata: { name }, rules });
}

function decide(cluster: TestCluster, attributes: Attributes, user = jane) {
  return cluster.registry.authorizer.decide(user, attributes);
}

const getPods: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };

describe("G1: permissions", () => {
  test("are limited to the default roles without a binding", () => {
    const cluster = newCluster({ nodes: 0 });
    expect(decide(cluster, read("get", "pods"))).toEqual({ allowed: false, reason: "" });
    const review = read("create", "selfsubjectaccessreviews", { group: "authorization.k8s.io" });
    expect(decide(cluster, review).allowed).toBe(true);
    expect(decide(cluster, at("get", "/apis/apps/v1")).allowed).toBe(true);
    expect(decide(cluster, at("get", "/metrics")).allowed).toBe(false);
    expect(
      decide(cluster, at("get", "/healthz"), { name: "system:anonymous", groups: ["system:unauthenticated"] }).allowed,
    ).toBe(true);
  });

  test("apply everywhere by a ClusterRoleBinding, with upstream's reason", () => {
    const cluster = newCluster({ nodes: 0 });
    makeRole(cluster, "pod-reader", getPods);
    bind(cluster, "jane-reads", "pod-reader");
    expect(decide(cluster, read("list", "pods", { namespace: "default" }))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "jane-reads" of ClusterRole "pod-reader" to User "jane"',
    });
    expect(decide(cluster, read("delete", "pods", { namespace: "default" })).allowed).toBe(false);
    expect(decide(cluster, read("get", "pods", { subresource: "log" })).allowed).toBe(false);
  });

  test("apply in a namespace by a RoleBinding, for a Role or a ClusterRole", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.client.create(roles, { metadata: { name: "reader", namespace: "default" }, rules: [getPods] });
    const metadata = { name: "devs-read", namespace: "default" };
    cluster.client.create(roleBindings, {
      metadata,
      roleRef: { apiGroup, kind: "Role", name: "reader" },
      subjects: [{ kind: "Group", apiGroup, name: "devs" }],
    });
    expect(decide(cluster, read("get", "pods", { namespace: "default", name: "a" })).reason).toBe(
      'RBAC: allowed by RoleBinding "devs-read/default" of Role "reader" to Group "devs"',
    );
    expect(decide(cluster, read("get", "pods", { namespace: "kube-system" })).allowed).toBe(false);
    expect(decide(cluster, read("get", "pods")).allowed).toBe(false);
    cluster.client.delete(roleBindings, "default", "devs-read");
    expect(decide(cluster, read("get", "pods", { namespace: "default" })).allowed).toBe(false);
  });

  test("apply to a service account in its binding's namespace if none is named", () => {
    const cluster = newCluster({ nodes: 0 });
    const roleRef = { apiGroup, kind: "ClusterRole", name: "view" };
    const subjects = [{ kind: "ServiceAccount", name: "bot" }];
    cluster.client.create(roleBindings, { metadata: { name: "bot", namespace: "default" }, roleRef, subjects });
    const bot = { name: "system:serviceaccount:default:bot", groups: [] };
    expect(decide(cluster, read("list", "pods", { namespace: "default" }), bot).reason).toBe(
      'RBAC: allowed by RoleBinding "bot/default" of ClusterRole "view" to ServiceAccount "bot/default"',
    );
    expect(decide(cluster, read("list", "secrets", { namespace: "default" }), bot).allowed).toBe(false);
  });

  test("apply to named objects, to a subresource of any resource, and to path prefixes", () => {
    const cluster = newCluster({ nodes: 0 });
    makeRole(
      cluster,
      "few",
      { verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["settings"] },
      { verbs: ["update"], apiGroups: ["*"], resources: ["*/scale"] },
      { verbs: ["get"], nonResourceURLs: ["/logs/*"] },
    );
    bind(cluster, "few", "few");
    expect(decide(cluster, read("get", "configmaps", { name: "settings" })).allowed).toBe(true);
    expect(decide(cluster, read("get", "configmaps", { name: "other" })).allowed).toBe(false);
    expect(decide(cluster, read("get", "configmaps")).allowed).toBe(false);
    expect(decide(cluster, read("update", "deployments", { group: "apps", subresource: "scale" })).allowed).toBe(true);
    expect(decide(cluster, read("update", "deployments", { group: "apps" })).allowed).toBe(false);
    expect(decide(cluster, at("get", "/logs/kube-apiserver.log")).allowed).toBe(true);
    expect(decide(cluster, at("get", "/logs")).allowed).toBe(false);
  });

  test("are not granted by a missing role, which is a reason", () => {
    const cluster = newCluster({ nodes: 0 });
    bind(cluster, "dangling", "nothing");
    expect(decide(cluster, read("get", "pods"))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "nothing" not found',
    });
  });

  test("are listed as rules, complete with a missing role, and incomplete only for a node", () => {
    const cluster = newCluster({ nodes: 0 });
    bind(cluster, "dangling", "nothing");
    const { authorizer } = cluster.registry;
    const dangling = 'clusterrole.rbac.authorization.k8s.io "nothing" not found';
    expect(authorizer.rulesOf(jane, "default")).toMatchObject({ evaluationError: dangling, incomplete: false });
    const admin = { name: "root", groups: ["system:masters"] };
    expect(authorizer.rulesOf(admin, "default").resourceRules).toEqual([
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    ]);
    const node = { name: "system:node:n", groups: ["system:nodes"] };
    expect(authorizer.rulesOf(node, "default")).toMatchObject({
      evaluationError: "node authorizer does not support user rule resolution",
      incomplete: true,
    });
  });

  test("include the aggregated rules of admin, edit and view, in a new cluster and when a role is added", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.runUntilQuiet();
    const before = cluster.get(clusterRoles, "", "view");
    expect(before.rules.length).toBeGreaterThan(10);
    expect(before.metadata.resourceVersion).toBe(
      cluster.changes.find(({ object }) => object.metadata.name === "view")?.object.metadata.resourceVersion,
    );
    const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
    const rules = [{ verbs: ["get"], apiGroups: ["example.com"], resources: ["widgets"] }];
    cluster.client.create(clusterRoles, { metadata: { name: "widgets", labels }, rules });
    cluster.runUntilQuiet();
    bind(cluster, "admins", "admin");
    expect(decide(cluster, read("get", "widgets", { group: "example.com" })).allowed).toBe(true);
  });
});

describe("G2: privilege escalation", () => {
  function asJane(cluster: TestCluster) {
    return localClient(cluster.registry, { actor: () => ({ user: jane, origin: "test", manager: "test" }) });
  }

  test("is refused for granting more than one's own permissions", () => {
    const cluster = newCluster({ nodes: 0 });
    makeRole(cluster, "pod-reader", getPods);
    bind(cluster, "jane-reads", "pod-reader");
    const rules = [{ verbs: ["get", "delete"], apiGroups: [""], resources: ["pods", "secrets"] }];
    expect(() => asJane(cluster).create(clusterRoles, { metadata: { name: "more" }, rules })).toThrow(
      `clusterroles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}`,
    );
    asJane(cluster).create(clusterRoles, { metadata: { name: "less" }, rules: [{ ...getPods, verbs: ["get"] }] });
  });

  test("is refused for missing roles with an error about the written object", () => {
    const cluster = newCluster({ nodes: 0 });
    bind(cluster, "dangling", "nothing");
    const rules = [getPods];
    expect(() => asJane(cluster).create(clusterRoles, { metadata: { name: "more" }, rules })).toThrow(
      '; resolution errors: [clusterroles.rbac.authorization.k8s.io "nothing" not found]',
    );
    const roleRef = { apiGroup, kind: "ClusterRole", name: "nothing" };
    const draft = { metadata: { name: "x", namespace: "default" }, roleRef, subjects: [janeSubject] };
    expect(() => asJane(cluster).create(roleBindings, draft)).toThrow(
      'rolebindings.rbac.authorization.k8s.io "nothing" not found',
    );
  });

  test("is refused for binding a role with more permissions, unless bind is allowed", () => {
    const cluster = newCluster({ nodes: 0 });
    const roleRef = { apiGroup, kind: "ClusterRole", name: "view" };
    const draft = { metadata: { name: "x", namespace: "default" }, roleRef, subjects: [janeSubject] };
    expect(() => asJane(cluster).create(roleBindings, draft)).toThrow("is attempting to grant RBAC permissions");
    const binder = { verbs: ["bind"], apiGroups: [apiGroup], resources: ["clusterroles"], resourceNames: ["view"] };
    makeRole(cluster, "binder", binder);
    bind(cluster, "binder", "binder");
    asJane(cluster).create(roleBindings, draft);
    const missing = { ...draft, metadata: { name: "y", namespace: "default" }, roleRef: { ...roleRef, name: "none" } };
    expect(() => asJane(cluster).create(roleBindings, missing)).toThrow(
      'rolebindings.rbac.authorization.k8s.io "none" not found',
    );
  });

  test("is refused for an aggregation, which can match any role, without all permissions", () => {
    const cluster = newCluster({ nodes: 0 });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
    const draft = { metadata: { name: "all" }, rules: [], aggregationRule };
    expect(() => asJane(cluster).create(clusterRoles, draft)).toThrow(
      "must have cluster-admin privileges to use the aggregationRule",
    );
    makeRole(cluster, "escalator", { verbs: ["escalate"], apiGroups: [apiGroup], resources: ["clusterroles"] });
    bind(cluster, "escalator", "escalator");
    asJane(cluster).create(clusterRoles, draft);
  });
});
