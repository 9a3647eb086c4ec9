// Roles and bindings: matching rules, subjects, and missing roles.
import { describe, expect, test } from "vitest";
import type { Attributes } from "../../shared/k8s/authorizer.ts";
import type { PolicyRule, Subject } from "../../shared/k8s/api/rbac-v1.ts";
import { allows } from "../../worker/access/rule.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { roleBindings } from "../../worker/kinds/rbac/role-binding.ts";
import { roles } from "../../worker/kinds/rbac/role.ts";
import { attributesOf, askedPath, newStored } from "./stored.ts";

const apiGroup = "rbac.authorization.k8s.io";
const jane = { name: "jane", groups: ["devs"] };
const getPods: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

describe("an RBAC rule", () => {
  const all: PolicyRule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
  const pods = attributesOf("get", "pods", { namespace: "default", name: "a" });
  const log: Attributes = { ...pods, subresource: "log" };

  test.each<[string, PolicyRule, Attributes, boolean]>([
    ["a named resource", getPods, pods, true],
    ["no other verb", getPods, { ...pods, verb: "list" }, false],
    ["no other group", getPods, { ...pods, group: "apps" }, false],
    ["no other resource", getPods, { ...pods, plural: "nodes" }, false],
    ["no subresource of it", getPods, log, false],
    ["a subresource that it names", { ...getPods, resources: ["pods/log"] }, log, true],
    ["not the object of a named subresource", { ...getPods, resources: ["pods/log"] }, pods, false],
    ["a subresource of any resource", { ...getPods, resources: ["*/log"] }, log, true],
    ["not the object itself by a subresource", { ...getPods, resources: ["*/log"] }, pods, false],
    ["no other subresource", { ...getPods, resources: ["*/status"] }, log, false],
    ["everything by stars", all, log, true],
    ["everything by stars, in any group", all, { ...pods, group: "apps" }, true],
    ["no path by stars of resources", all, askedPath("get", "/metrics"), false],
    ["the objects that it names", { ...getPods, resourceNames: ["a", "b"] }, pods, true],
    ["no other object", { ...getPods, resourceNames: ["b"] }, pods, false],
    ["any object where it names none", { ...getPods, resourceNames: [] }, pods, true],
    ["nothing without groups", { verbs: ["get"], resources: ["pods"] }, pods, false],
    ["nothing without resources", { verbs: ["get"], apiGroups: [""] }, pods, false],
    ["a path", { verbs: ["get"], nonResourceURLs: ["/logs"] }, askedPath("get", "/logs"), true],
    ["not a path below it", { verbs: ["get"], nonResourceURLs: ["/logs"] }, askedPath("get", "/logs/a"), false],
    [
      "a path below it by a star",
      { verbs: ["get"], nonResourceURLs: ["/logs/*"] },
      askedPath("get", "/logs/a/b"),
      true,
    ],
    ["no other path by a star", { verbs: ["get"], nonResourceURLs: ["/logs/*"] }, askedPath("get", "/log"), false],
    ["no path by a star within", { verbs: ["get"], nonResourceURLs: ["/l*s"] }, askedPath("get", "/logs"), false],
    ["every path by a star alone", { verbs: ["get"], nonResourceURLs: ["*"] }, askedPath("get", "/x"), true],
    ["no other verb on a path", { verbs: ["get"], nonResourceURLs: ["*"] }, askedPath("post", "/x"), false],
    ["no resource by a path", { verbs: ["get"], nonResourceURLs: ["*"] }, pods, false],
  ])("G1: allows %s", (_, rule, attributes, expected) => {
    expect(allows(rule, attributes)).toBe(expected);
  });
});

function fixture() {
  const stored = newStored();
  const role = (name: string, ...rules: PolicyRule[]) => stored.put(clusterRoles, { metadata: { name }, rules });
  const bind = (name: string, to: string, ...subjects: Subject[]) =>
    stored.put(clusterRoleBindings, {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name: to },
      subjects,
    });
  const bindIn = (namespace: string, name: string, kind: string, to: string, ...subjects: Subject[]) =>
    stored.put(roleBindings, { metadata: { name, namespace }, roleRef: { apiGroup, kind, name: to }, subjects });
  const may = (attributes: Attributes, user: { name: string; groups: string[] } = jane) =>
    stored.decide(user, attributes).allowed;
  return { ...stored, role, bind, bindIn, may };
}

const asJane: Subject = { kind: "User", apiGroup, name: "jane" };
const pods = (namespace = "", verb = "get") => attributesOf(verb, "pods", { namespace });

describe("an RBAC binding", () => {
  test.each<[string, Subject, { name: string; groups: string[] }, boolean]>([
    ["a user by name", asJane, jane, true],
    ["not another user", { ...asJane, name: "joe" }, jane, false],
    ["a group by name", { kind: "Group", apiGroup, name: "devs" }, jane, true],
    ["not a user with a group's name", { kind: "User", apiGroup, name: "devs" }, jane, false],
    ["not a group with the user's name", { kind: "Group", apiGroup, name: "jane" }, jane, false],
    [
      "a service account in its namespace",
      account("bot", "ops"),
      { name: "system:serviceaccount:ops:bot", groups: [] },
      true,
    ],
    [
      "not a service account of another namespace",
      account("bot", "dev"),
      { name: "system:serviceaccount:ops:bot", groups: [] },
      false,
    ],
    [
      "nobody by a service account without a namespace",
      account("bot"),
      { name: "system:serviceaccount::bot", groups: [] },
      false,
    ],
    ["nobody by a subject of another kind", { kind: "Robot", apiGroup, name: "jane" }, jane, false],
  ])("G1: in the whole cluster applies to %s", (_, subject, user, expected) => {
    const { role, bind, may } = fixture();
    role("reader", getPods);
    bind("readers", "reader", subject);
    expect([may(pods("ops"), user), may(pods(), user)]).toEqual([expected, expected]);
  });

  test("G1: in a namespace applies only there, and a service account without a namespace is in the binding's", () => {
    const { role, bindIn, may } = fixture();
    role("reader", getPods);
    bindIn("ops", "readers", "ClusterRole", "reader", asJane, account("bot"));
    expect([may(pods("ops")), may(pods("dev")), may(pods())]).toEqual([true, false, false]);
    const bot = { name: "system:serviceaccount:ops:bot", groups: [] };
    expect([may(pods("ops"), bot), may(pods("dev"), bot)]).toEqual([true, false]);
  });

  test("G1: in a namespace with a Role uses the Role of that namespace", () => {
    const { role, bindIn, put, may } = fixture();
    role("reader", { ...getPods, resources: ["nodes"] });
    put(roles, { metadata: { name: "reader", namespace: "dev" }, rules: [{ ...getPods, resources: ["secrets"] }] });
    put(roles, { metadata: { name: "reader", namespace: "ops" }, rules: [getPods] });
    bindIn("ops", "readers", "Role", "reader", asJane);
    const at = (plural: string) => may(attributesOf("get", plural, { namespace: "ops" }));
    expect([at("pods"), at("secrets"), at("nodes")]).toEqual([true, false, false]);
  });

  test("G1: applies from its creation until its change or deletion, whatever was authorized before", () => {
    const { role, bind, bindIn, remove, may } = fixture();
    role("reader", getPods);
    expect(may(pods("ops"))).toBe(false);
    bind("readers", "reader", asJane);
    expect(may(pods("ops"))).toBe(true);
    bind("readers", "reader", { ...asJane, name: "joe" });
    expect(may(pods("ops"))).toBe(false);
    bindIn("ops", "readers", "ClusterRole", "reader", asJane);
    expect(may(pods("ops"))).toBe(true);
    remove(roleBindings, { namespace: "ops", name: "readers" });
    expect(may(pods("ops"))).toBe(false);
  });

  test("G1: applies with the role's current rules, also without rules", () => {
    const { role, bind, put, may } = fixture();
    bind("readers", "reader", asJane);
    role("reader", getPods);
    expect(may(pods("ops"))).toBe(true);
    put(clusterRoles, { metadata: { name: "reader" } });
    expect(may(pods("ops"))).toBe(false);
  });
});

describe("reasons of a decision", () => {
  test("G1: name the first matching binding: those of the cluster, then the namespace's, by name", () => {
    const { role, bind, bindIn, decide } = fixture();
    role("reader", getPods);
    role("other", { ...getPods, verbs: ["list"] });
    const reason = () => decide(jane, pods("ops")).reason;
    bindIn("ops", "b", "ClusterRole", "reader", asJane);
    bindIn("ops", "a", "ClusterRole", "other", asJane);
    expect(reason()).toBe('RBAC: allowed by RoleBinding "b/ops" of ClusterRole "reader" to User "jane"');
    bind("z", "reader", { kind: "Group", apiGroup, name: "devs" });
    expect(reason()).toBe('RBAC: allowed by ClusterRoleBinding "z" of ClusterRole "reader" to Group "devs"');
    bind("y", "reader", { kind: "Group", apiGroup, name: "devs" }, asJane);
    expect(reason()).toBe('RBAC: allowed by ClusterRoleBinding "y" of ClusterRole "reader" to User "jane"');
  });

  test("G1: report a missing role once, and not for an allowed request", () => {
    const { role, bind, decide } = fixture();
    const missing = (name: string) => `clusterrole.rbac.authorization.k8s.io "${name}" not found`;
    bind("a", "gone", asJane);
    expect(decide(jane, pods())).toEqual({ allowed: false, reason: `RBAC: ${missing("gone")}` });
    bind("b", "gone", asJane);
    expect(decide(jane, pods()).reason).toBe(`RBAC: ${missing("gone")}`);
    bind("c", "lost", asJane);
    expect(decide(jane, pods()).reason).toBe(`RBAC: [${missing("gone")}, ${missing("lost")}]`);
    role("reader", getPods);
    bind("d", "reader", asJane);
    expect(decide(jane, pods())).toMatchObject({ allowed: true });
    expect(decide({ name: "joe", groups: [] }, pods())).toEqual({ allowed: false, reason: "" });
  });

  test("G1: name the node authorizer and RBAC for a node, and a role may grant it more", () => {
    const { role, bind, decide } = fixture();
    const node = { name: "system:node:n1", groups: ["system:nodes"] };
    const secret = attributesOf("get", "secrets", { namespace: "ops", name: "s" });
    const why = "no relationship found between node 'n1' and this object";
    expect(decide(node, secret).reason).toBe(why);
    bind("a", "gone", { kind: "Group", apiGroup, name: "system:nodes" });
    expect(decide(node, secret).reason).toBe(`${why}\nRBAC: clusterrole.rbac.authorization.k8s.io "gone" not found`);
    role("reader", { ...getPods, resources: ["secrets"] });
    bind("b", "reader", { kind: "Group", apiGroup, name: "system:nodes" });
    expect(decide(node, secret)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "system:nodes"',
    });
    expect(decide(node, attributesOf("list", "services"))).toEqual({ allowed: true, reason: "" });
  });

  test("G1: are empty for an administrator, who may do everything", () => {
    const { decide } = fixture();
    const admin = { name: "root", groups: ["system:masters"] };
    expect(decide(admin, attributesOf("escalate", "anything.example.com"))).toEqual({ allowed: true, reason: "" });
  });
});

describe("the rules of a user", () => {
  test("G1: are listed for resources and paths separately, for the requested namespace", () => {
    const { role, bind, bindIn, authorizer } = fixture();
    const named = { ...getPods, resourceNames: ["a"] };
    const paths = { verbs: ["get"], nonResourceURLs: ["/logs"] };
    role("first", getPods, paths);
    role("second", named);
    bind("a", "first", asJane);
    bindIn("ops", "b", "ClusterRole", "second", asJane);
    expect(authorizer.rulesOf(jane, "ops")).toEqual({
      resourceRules: [getPods, named],
      nonResourceRules: [paths],
      evaluationError: "",
      incomplete: false,
    });
    expect(authorizer.rulesOf(jane, "dev").resourceRules).toEqual([getPods]);
    expect(authorizer.grantedTo(jane, "ops")).toEqual({ rules: [getPods, paths, named], missing: [] });
  });

  test("G1: list each error once, and are incomplete for a node", () => {
    const { bind, authorizer } = fixture();
    const nodes: Subject = { kind: "Group", apiGroup, name: "system:nodes" };
    for (const [name, to] of [
      ["a", "gone"],
      ["b", "gone"],
      ["c", "lost"],
    ] as const)
      bind(name, to, asJane, nodes);
    const gone = 'clusterrole.rbac.authorization.k8s.io "gone" not found';
    const lost = 'clusterrole.rbac.authorization.k8s.io "lost" not found';
    expect(authorizer.rulesOf(jane, "")).toMatchObject({ evaluationError: `[${gone}, ${lost}]`, incomplete: false });
    const node = { name: "system:node:n1", groups: ["system:nodes"] };
    expect(authorizer.rulesOf(node, "")).toMatchObject({
      evaluationError: `[node authorizer does not support user rule resolution, ${gone}, ${lost}]`,
      incomplete: true,
    });
    expect(authorizer.grantedTo(jane, "")).toEqual({ rules: [], missing: ["gone", "gone", "lost"] });
  });

  test("G2: include a bound role's in its namespace, and a missing role is a 404", () => {
    const { role, put, authorizer } = fixture();
    role("reader", getPods);
    put(roles, { metadata: { name: "local", namespace: "ops" }, rules: [getPods] });
    put(clusterRoles, { metadata: { name: "empty" } });
    expect(authorizer.rulesOfRole("ClusterRole", "reader", "ops")).toEqual([getPods]);
    expect(authorizer.rulesOfRole("ClusterRole", "empty", "")).toEqual([]);
    expect(authorizer.rulesOfRole("Role", "local", "ops")).toEqual([getPods]);
    for (const [kind, name, namespace] of [
      ["Role", "local", "dev"],
      ["Role", "reader", "ops"],
      ["ClusterRole", "local", "ops"],
    ] as const)
      expect(() => authorizer.rulesOfRole(kind, name, namespace)).toThrow(
        expect.objectContaining({ code: 404, reason: "NotFound" }),
      );
  });
});

function account(name: string, namespace?: string): Subject {
  return { kind: "ServiceAccount", name, ...(namespace ? { namespace } : {}) };
}
