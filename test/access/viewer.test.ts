// What a view token may do: look at everything but Secrets, and connect to nothing.
import { describe, expect, test } from "vitest";
import { viewersGroup } from "../../shared/k8s/authorizer.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { asked, askedPath, newStored } from "./stored.ts";

const viewer = { name: "sandbar:viewer", groups: [viewersGroup, "system:authenticated"] };

function decided(attributes: ReturnType<typeof asked>, user = viewer): boolean {
  return newStored().decide(user, attributes).allowed;
}

describe("a viewer", () => {
  test("A4: reads every kind but Secrets, in one namespace and in all", () => {
    for (const verb of ["get", "list", "watch"]) {
      for (const resource of ["pods", "configmaps", "deployments.apps", "nodes", "widgets.example.com"]) {
        expect([verb, resource, decided(asked(verb, resource, { namespace: "default" }))]).toEqual([
          verb,
          resource,
          true,
        ]);
        expect(decided(asked(verb, resource))).toBe(true);
      }
      expect(decided(asked(verb, "secrets", { namespace: "default", name: "a" }))).toBe(false);
    }
    expect(decided(asked("get", "pods", { subresource: "log", name: "a" }))).toBe(true);
    expect(decided(asked("get", "deployments.apps", { subresource: "scale", name: "a" }))).toBe(true);
  });

  test.each(["create", "update", "patch", "delete", "deletecollection", "impersonate", "bind", "escalate", "approve"])(
    "A4: may not %s",
    (verb) => {
      for (const resource of ["pods", "configmaps", "secrets", "deployments.apps"])
        expect([resource, decided(asked(verb, resource, { namespace: "default", name: "a" }))]).toEqual([
          resource,
          false,
        ]);
    },
  );

  test.each(["exec", "attach", "portforward", "proxy"])(
    "A4: connects to nothing: %s is refused, by GET as by POST",
    (subresource) => {
      for (const verb of ["get", "create", "watch", "list"]) {
        for (const resource of ["pods", "services", "nodes"])
          expect([verb, decided(asked(verb, resource, { namespace: "default", name: "a", subresource }))]).toEqual([
            verb,
            false,
          ]);
      }
    },
  );

  test("A4: may ask what it may do itself, and not what others may", () => {
    const at = (resource: string) => decided(asked("create", resource));
    expect(at("selfsubjectaccessreviews.authorization.k8s.io")).toBe(true);
    expect(at("selfsubjectrulesreviews.authorization.k8s.io")).toBe(true);
    expect(at("selfsubjectreviews.authentication.k8s.io")).toBe(true);
    expect(at("subjectaccessreviews.authorization.k8s.io")).toBe(false);
    expect(at("selfsubjectreviews.authorization.k8s.io")).toBe(false);
    expect(at("tokenreviews.authentication.k8s.io")).toBe(false);
  });

  test("A4: finds out what is served: paths that are no resource it may get, and no more", () => {
    expect(["get", "head", "post", "put", "delete"].map((verb) => decided(askedPath(verb, "/version")))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("A4: is never more, whatever its other groups and roles say", () => {
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
    expect(stored.decide(user, asked("delete", "pods", { name: "a" }))).toEqual({ allowed: false, reason: "" });
    expect(stored.decide(user, asked("get", "secrets", { name: "a" })).allowed).toBe(false);
    expect(stored.decide(user, asked("get", "pods", { name: "a" }))).toEqual({ allowed: true, reason: "" });
  });
});

describe("the rules that a viewer is told", () => {
  const rulesOf = () => newStored().authorizer.rulesOf(viewer, "default");
  const resources = (group: string) =>
    rulesOf()
      .resourceRules.filter(({ apiGroups }) => apiGroups?.includes(group))
      .flatMap((rule) => rule.resources ?? []);

  test("A4: are complete, and each of them holds", () => {
    const rules = rulesOf();
    expect(rules).toMatchObject({ evaluationError: "", incomplete: false });
    expect(rules.nonResourceRules).toEqual([{ verbs: ["get", "head"], nonResourceURLs: ["*"] }]);
    for (const { verbs, apiGroups = [], resources: named = [] } of rules.resourceRules) {
      for (const one of named) {
        const [plural = "", subresource = ""] = one.split("/");
        for (const verb of verbs)
          expect([verb, one, decided({ ...asked(verb, plural, { subresource }), group: apiGroups[0] ?? "" })]).toEqual([
            verb,
            one,
            true,
          ]);
      }
    }
  });

  test("A4: name what is served, once, with what of it can be read, and neither Secrets nor connections", () => {
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
