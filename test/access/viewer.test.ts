// The permissions of a view token: read everything but Secrets, and connect to nothing.
import { describe, expect, test } from "vitest";
import { viewersGroup } from "../../shared/k8s/authorizer.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { attributesOf, askedPath, newStored } from "./stored.ts";

const viewer = { name: "sandbar:viewer", groups: [viewersGroup, "system:authenticated"] };

function decided(attributes: ReturnType<typeof attributesOf>, user = viewer): boolean {
  return newStored().decide(user, attributes).allowed;
}

describe("a viewer", () => {
  test("A4: reads every kind but Secrets, in one namespace and in all", () => {
    for (const verb of ["get", "list", "watch"]) {
      for (const resource of ["pods", "configmaps", "deployments.apps", "nodes", "widgets.example.com"]) {
        expect([verb, resource, decided(attributesOf(verb, resource, { namespace: "default" }))]).toEqual([
          verb,
          resource,
          true,
        ]);
        expect(decided(attributesOf(verb, resource))).toBe(true);
      }
      expect(decided(attributesOf(verb, "secrets", { namespace: "default", name: "a" }))).toBe(false);
    }
    expect(decided(attributesOf("get", "pods", { subresource: "log", name: "a" }))).toBe(true);
    expect(decided(attributesOf("get", "deployments.apps", { subresource: "scale", name: "a" }))).toBe(true);
  });

  test.each(["create", "update", "patch", "delete", "deletecollection", "impersonate", "bind", "escalate", "approve"])(
    "A4: may not %s",
    (verb) => {
      for (const resource of ["pods", "configmaps", "secrets", "deployments.apps"])
        expect([resource, decided(attributesOf(verb, resource, { namespace: "default", name: "a" }))]).toEqual([
          resource,
          false,
        ]);
    },
  );

  test.each(["exec", "attach", "portforward", "proxy"])(
    "A4: connects to nothing: %s is rejected, by GET and by POST",
    (subresource) => {
      for (const verb of ["get", "create", "watch", "list"]) {
        for (const resource of ["pods", "services", "nodes"])
          expect([
            verb,
            decided(attributesOf(verb, resource, { namespace: "default", name: "a", subresource })),
          ]).toEqual([verb, false]);
      }
    },
  );

  test("A4: may review its own permissions, and not those of others", () => {
    const at = (resource: string) => decided(attributesOf("create", resource));
    expect(at("selfsubjectaccessreviews.authorization.k8s.io")).toBe(true);
    expect(at("selfsubjectrulesreviews.authorization.k8s.io")).toBe(true);
    expect(at("selfsubjectreviews.authentication.k8s.io")).toBe(true);
    expect(at("subjectaccessreviews.authorization.k8s.io")).toBe(false);
    expect(at("selfsubjectreviews.authorization.k8s.io")).toBe(false);
    expect(at("tokenreviews.authentication.k8s.io")).toBe(false);
  });

  test("A4: may use discovery: it may GET paths that are not resources", () => {
    expect(["get", "head", "post", "put", "delete"].map((verb) => decided(askedPath(verb, "/version")))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("A4: has no more permissions from its other groups and roles", () => {
    const stored = newStored();
    stored.put(clusterRoles, {
      metadata: { name: "all" },
      rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    });
    const apiGroup = "rbac.authorization.k8s.io";
    stored.put(clusterRoleBindings, {
      metadata: { name: "all" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "all" },
      subjects: [{ kind: "Group", apiGroup, name: viewersGroup }],
    });
    const user = { name: "admin", groups: ["system:masters", viewersGroup] };
    expect(stored.decide(user, attributesOf("delete", "pods", { name: "a" }))).toEqual({ allowed: false, reason: "" });
    expect(stored.decide(user, attributesOf("get", "secrets", { name: "a" })).allowed).toBe(false);
    expect(stored.decide(user, attributesOf("get", "pods", { name: "a" }))).toEqual({ allowed: true, reason: "" });
  });
});

describe("the rules of a viewer", () => {
  const rulesOf = () => newStored().authorizer.rulesOf(viewer, "default");
  const resources = (group: string) =>
    rulesOf()
      .resourceRules.filter(({ apiGroups }) => apiGroups?.includes(group))
      .flatMap((rule) => rule.resources ?? []);

  test("A4: are complete, and each of them is allowed", () => {
    const rules = rulesOf();
    expect(rules).toMatchObject({ evaluationError: "", incomplete: false });
    expect(rules.nonResourceRules).toEqual([{ verbs: ["get", "head"], nonResourceURLs: ["*"] }]);
    for (const { verbs, apiGroups = [], resources: named = [] } of rules.resourceRules) {
      for (const resource of named) {
        const [plural = "", subresource = ""] = resource.split("/");
        for (const verb of verbs)
          expect([
            verb,
            resource,
            decided({ ...attributesOf(verb, plural, { subresource }), group: apiGroups[0] ?? "" }),
          ]).toEqual([verb, resource, true]);
      }
    }
  });

  test("A4: list each served resource once with its readable subresources, and neither Secrets nor connections", () => {
    const core = resources("");
    expect(core).toEqual(expect.arrayContaining(["pods", "pods/log", "pods/status", "nodes", "services"]));
    expect(new Set(core).size).toBe(core.length);
    for (const none of [
      "secrets",
      "pods/exec",
      "pods/attach",
      "pods/portforward",
      "pods/proxy",
      "pods/binding",
      "bindings",
    ])
      expect(core).not.toContain(none);
    expect(resources("apps")).toEqual(expect.arrayContaining(["deployments", "deployments/scale"]));
    expect(resources("authorization.k8s.io")).toEqual(["selfsubjectaccessreviews", "selfsubjectrulesreviews"]);
    for (const { verbs, resources: named } of rulesOf().resourceRules) {
      expect(named?.length).toBeGreaterThan(0);
      expect([["get", "list", "watch"], ["create"]]).toContainEqual(verbs);
    }
  });
});
