// A removed permission takes effect with the next request, whatever is cached.
import { expect, test } from "vitest";
import { core, newServer, strangerToken, type TestServer } from "./server.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const apiVersion = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

const role = (verbs: readonly string[]) => ({
  apiVersion,
  kind: "ClusterRole",
  metadata: { name: "reader" },
  rules: [{ verbs, apiGroups: [""], resources: ["configmaps"] }],
});

const binding = {
  apiVersion,
  kind: "ClusterRoleBinding",
  metadata: { name: "reads" },
  roleRef: { apiGroup, kind: "ClusterRole", name: "reader" },
  subjects: [{ kind: "User", apiGroup, name: "jane" }],
};

async function granted(): Promise<TestServer> {
  const server = newServer();
  await server.ask("POST", `${rbac}/clusterroles`, { body: role(["list"]) });
  await server.ask("POST", `${rbac}/clusterrolebindings`, { body: binding });
  return server;
}

/** Lists repeatedly as the user, so that caches are filled, and returns the code. */
async function listed({ ask }: TestServer): Promise<number> {
  const codes = [];
  for (let time = 0; time < 3; time++)
    codes.push((await ask("GET", `${core}/configmaps`, { token: strangerToken })).code);
  expect(new Set(codes).size).toBe(1);
  return codes[0] ?? 0;
}

test.each<[string, (server: TestServer) => Promise<unknown>]>([
  ["the deletion of its binding", ({ ask }) => ask("DELETE", `${rbac}/clusterrolebindings/reads`)],
  ["the deletion of the role", ({ ask }) => ask("DELETE", `${rbac}/clusterroles/reader`)],
  ["a change of its rules", ({ ask }) => ask("PUT", `${rbac}/clusterroles/reader`, { body: role(["get"]) })],
  [
    "a change of the binding's subjects",
    ({ ask }) => ask("PUT", `${rbac}/clusterrolebindings/reads`, { body: { ...binding, subjects: [] } }),
  ],
])("G1: a permission that ends with %s is refused in the next request", async (_, takeAway) => {
  const server = await granted();
  expect(await listed(server)).toBe(200);
  await takeAway(server);
  expect(await listed(server)).toBe(403);
});

test("G1: a permission that is granted again is effective in the next request", async () => {
  const server = await granted();
  await server.ask("DELETE", `${rbac}/clusterrolebindings/reads`);
  expect(await listed(server)).toBe(403);
  await server.ask("POST", `${rbac}/clusterrolebindings`, { body: binding });
  expect(await listed(server)).toBe(200);
});
