// The bootstrap roles and bindings, as expanded from their table.
import { describe, expect, test } from "vitest";
import { newestRelease } from "../../shared/k8s/settings/release.ts";
import { nodeRules, policyOf } from "../../worker/access/policy.ts";

const policy = policyOf(newestRelease);
const apiGroup = "rbac.authorization.k8s.io";
const clusterRole = (name: string) => policy.clusterRoles.find((role) => role.name === name);

describe("the default policy", () => {
  test("G1: the rules of a role are for resources in groups, some by name, or for paths", () => {
    expect(clusterRole("cluster-admin")).toEqual({
      namespace: "",
      name: "cluster-admin",
      rules: [
        { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
        { verbs: ["*"], nonResourceURLs: ["*"] },
      ],
      aggregatesTo: [],
      aggregates: undefined,
    });
    expect(clusterRole("system:basic-user")?.rules[0]).toEqual({
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    });
    expect(policy.roles.find((role) => role.name === "extension-apiserver-authentication-reader")).toMatchObject({
      namespace: "kube-system",
      rules: [
        {
          verbs: ["get", "list", "watch"],
          apiGroups: [""],
          resources: ["configmaps"],
          resourceNames: ["extension-apiserver-authentication"],
        },
      ],
    });
    for (const { rules } of policy.clusterRoles)
      for (const rule of rules) expect("resourceNames" in rule).toBe(rule.resourceNames !== undefined);
  });

  test("G1: admin has the rules of edit, and edit those of view, each rule once, in the order of their roles", () => {
    const rulesOf = (name: string) => (clusterRole(name)?.rules ?? []).map((rule) => JSON.stringify(rule));
    const aggregatedRules = (name: string) => rulesOf(`system:aggregate-to-${name}`);
    expect(rulesOf("view")).toEqual([...new Set(aggregatedRules("view"))]);
    expect(rulesOf("edit")).toEqual([...new Set([...aggregatedRules("edit"), ...rulesOf("view")])]);
    expect(rulesOf("admin")).toEqual([...new Set([...rulesOf("edit"), ...aggregatedRules("admin")])]);
    expect(rulesOf("view").length).toBeGreaterThan(5);
    expect([clusterRole("view")?.aggregates, clusterRole("view")?.aggregatesTo]).toEqual(["view", ["edit"]]);
    for (const name of ["admin", "edit", "view"]) expect(new Set(rulesOf(name)).size).toBe(rulesOf(name).length);
  });

  test("G1: every binding has a role, and users, groups and accounts", () => {
    expect(policy.clusterRoleBindings.find(({ name }) => name === "cluster-admin")).toEqual({
      namespace: "",
      name: "cluster-admin",
      roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "Group", apiGroup, name: "system:masters" }],
    });
    const leader = policy.roleBindings.find(({ name }) => name === "system::leader-locking-kube-scheduler");
    expect(leader).toEqual({
      namespace: "kube-system",
      name: "system::leader-locking-kube-scheduler",
      roleRef: { apiGroup, kind: "Role", name: "system::leader-locking-kube-scheduler" },
      subjects: [
        { kind: "User", apiGroup, name: "system:kube-scheduler" },
        { kind: "ServiceAccount", name: "kube-scheduler", namespace: "kube-system" },
      ],
    });
    expect(policy.clusterRoleBindings.find(({ name }) => name === "system:node")?.subjects).toEqual([]);
  });

  test("G1: every binding names an existing role", () => {
    const names = new Set(policy.clusterRoles.map(({ name }) => name));
    const local = new Set(policy.roles.map(({ namespace, name }) => `${namespace}/${name}`));
    for (const { namespace, roleRef } of [...policy.clusterRoleBindings, ...policy.roleBindings]) {
      const isThere =
        roleRef.kind === "ClusterRole" ? names.has(roleRef.name) : local.has(`${namespace}/${roleRef.name}`);
      expect([roleRef.name, isThere]).toEqual([roleRef.name, true]);
    }
  });

  test("G3: the rules for nodes are those of the role system:node", () => {
    expect(nodeRules()).toEqual(clusterRole("system:node")?.rules);
    expect(nodeRules()).toContainEqual({ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["services"] });
  });
});
