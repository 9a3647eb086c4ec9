// Impersonation: the modes of upstream's constrained impersonation and the legacy mode, with their permissions.
import { describe, expect, test } from "vitest";
import type { PolicyRule } from "../../shared/k8s/api/rbac-v1.ts";
import { core, newServer, refusal, strangerToken, type TestServer } from "./server.ts";

const reviews = "authentication.k8s.io";
const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** Returns a server where Jane has a cluster role with these rules. */
async function serverWith(rules: PolicyRule[], node?: string): Promise<TestServer> {
  const name = "acting";
  const jane = node
    ? {
        name: "system:serviceaccount:default:agent",
        groups: ["system:authenticated"],
        extra: { "authentication.kubernetes.io/node-name": [node] },
      }
    : { name: "jane", groups: ["system:authenticated"] };
  const server = newServer({
    controllers: [],
    service: ({ registry: _ }) => ({
      authenticate: (token) =>
        token === strangerToken
          ? { user: jane, readOnly: false }
          : { user: { name: "admin", groups: ["system:masters"] }, readOnly: false },
    }),
  });
  const group = "rbac.authorization.k8s.io";
  await server.ask("POST", `${rbac}/clusterroles`, {
    body: { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name }, rules },
  });
  const created = await server.ask("POST", `${rbac}/clusterrolebindings`, {
    body: {
      apiVersion: `${group}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: group, kind: "ClusterRole", name },
      subjects: [{ apiGroup: group, kind: "User", name: jane.name }],
    },
  });
  expect(created.code).toBe(201);
  return server;
}

const acting = (verb: string, apiGroup: string, resource: string, ...resourceNames: string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [apiGroup],
  resources: [resource],
  ...(resourceNames.length > 0 ? { resourceNames } : {}),
});
const listing = (mode: string) => acting(`impersonate-on:${mode}:list`, "", "pods");

/** Returns the result of listing pods as another user. */
async function list({ ask }: TestServer, headers: Record<string, string>): Promise<string> {
  const answer = await ask("GET", `${core}/pods`, { token: strangerToken, headers });
  return answer.code === 200 ? "done" : (refusal(answer).message ?? "");
}

const bob = { "impersonate-user": "bob" };
const asBob = /^pods is forbidden: User "bob" cannot list resource "pods"/;

describe("constrained impersonation", () => {
  test("requires permissions for the user and for the request", async () => {
    const userRule = acting("impersonate:user-info", reviews, "users", "bob");
    expect(await list(await serverWith([userRule, listing("user-info")]), bob)).toMatch(asBob);
    expect(await list(await serverWith([userRule]), bob)).toBe(
      'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"',
    );
    expect(await list(await serverWith([listing("user-info")]), bob)).toBe(
      'users.authentication.k8s.io "bob" is forbidden: User "jane" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    );
  });

  test("is refused for an administrator and for a user without a name", async () => {
    const all = acting("impersonate:user-info", reviews, "*");
    const server = await serverWith([all, listing("user-info")]);
    expect(await list(server, { ...bob, "impersonate-group": "a, system:masters" })).toContain(
      "impersonating the system:masters group is not allowed",
    );
    expect(await list(server, { ...bob, "impersonate-group": "" })).toContain("the empty string group is not allowed");
    expect(await list(server, { ...bob, "impersonate-extra-plain": "x" })).toContain(
      'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "plain": must be a domain-prefixed path (such as "acme.io/foo")',
    );
    expect(await list(server, { ...bob, "impersonate-extra-a.io%2fb": "" })).toContain("the empty string value");
    expect(await list(server, { ...bob, "impersonate-group": "a", "impersonate-uid": "7" })).toMatch(asBob);
  });

  test("checks one permission for all of many groups first", async () => {
    const userRule = acting("impersonate:user-info", reviews, "users");
    const every = acting("impersonate:user-info", reviews, "groups", "*");
    const server = await serverWith([userRule, every, listing("user-info")]);
    expect(await list(server, { ...bob, "impersonate-group": "a, b, c, d" })).toMatch(asBob);
    expect(await list(server, { ...bob, "impersonate-group": "a, b, c" })).toContain(
      'groups.authentication.k8s.io "a"',
    );
  });

  test("has separate modes and groups for service accounts and nodes", async () => {
    const account = { "impersonate-user": "system:serviceaccount:default:app" };
    const may = acting("impersonate:serviceaccount", reviews, "serviceaccounts", "app");
    expect(await list(await serverWith([may, listing("serviceaccount")]), account)).toContain(
      'User "system:serviceaccount:default:app" cannot list',
    );
    expect(await list(await serverWith([may, listing("user-info")]), account)).toContain(
      "impersonate-on:serviceaccount:list",
    );
    const node = { "impersonate-user": "system:node:node-1" };
    const mayNode = acting("impersonate:arbitrary-node", reviews, "nodes", "node-1");
    expect(await list(await serverWith([mayNode, listing("arbitrary-node")]), node)).toContain(
      'User "system:node:node-1" cannot list',
    );
  });

  test("lets a service account act as its own node only", async () => {
    const rules = [acting("impersonate:associated-node", reviews, "nodes"), listing("associated-node")];
    const server = await serverWith(rules, "node-1");
    expect(await list(server, { "impersonate-user": "system:node:node-1" })).toContain(
      'User "system:node:node-1" cannot list',
    );
    expect(await list(server, { "impersonate-user": "system:node:node-2" })).toContain(
      "impersonate-on:arbitrary-node:list",
    );
  });

  test("is still allowed by permissions of the legacy mode", async () => {
    const server = await serverWith([
      acting("impersonate", "", "users", "bob"),
      acting("impersonate", "", "groups", "system:masters"),
      acting("impersonate", reviews, "userextras/plain", "x"),
    ]);
    expect(await list(server, { ...bob, "impersonate-group": "system:masters", "impersonate-extra-plain": "x" })).toBe(
      "done",
    );
    expect(await list(server, { ...bob, "impersonate-group": "else" })).toContain("impersonate-on:user-info:list");
  });

  test("is a bad request for attributes without a user", async () => {
    const server = newServer({ controllers: [] });
    const headers = { "impersonate-group": "a", "impersonate-extra-k": "v" };
    const answer = await server.ask("GET", "/api", { headers });
    expect([answer.code, refusal(answer).message]).toEqual([
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string{"k":[]string{"v"}}} without impersonating a user name',
    ]);
  });
});
