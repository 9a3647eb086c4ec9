// NodeRestriction: token requests of nodes for their pods, and mirror pods.
import { expect, test } from "vitest";
import { pluginsWith } from "../../worker/admission/catalogue.ts";
import { type Answer, core, newServer, refusal, type TestServer } from "../api/server.ts";

const asNode = { "impersonate-user": "system:node:node-1", "impersonate-group": "system:nodes" };

async function serverWith(volumes: object[]): Promise<{ server: TestServer; uid: string }> {
  const server = newServer({ plugins: pluginsWith(["NodeRestriction"]) });
  const containers = [{ name: "main", image: "nginx" }];
  const body = { metadata: { name: "p" }, spec: { nodeName: "node-1", containers, volumes } };
  const created = await server.ask("POST", `${core}/pods`, { body });
  expect(created.code).toBe(201);
  return { server, uid: created.body.metadata.uid ?? "" };
}

async function tokenFor({ server, uid }: { server: TestServer; uid: string }, audiences: string[]) {
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p", uid };
  const body = { spec: { audiences, boundObjectRef } };
  return refusalOrCode(await server.ask("POST", `${core}/serviceaccounts/default/token`, { body, headers: asNode }));
}

function refusalOrCode(answer: Answer): number | string {
  return answer.code < 300 ? answer.code : (refusal(answer).message ?? "");
}

test("a node requests tokens for the audiences of its pods' volumes, and no others", async () => {
  const vault = { serviceAccountToken: { path: "token", audience: "vault" } };
  const of = await serverWith([{ name: "v", projected: { sources: [vault] } }]);
  expect(await tokenFor(of, ["vault"])).toBe(201);
  // The API's own audience, which the pod's own volume has.
  expect(await tokenFor(of, [])).toBe(201);
  const prefix = 'serviceaccounts "default" is forbidden:';
  expect(await tokenFor(of, ["else"])).toBe(
    `${prefix} audience "else" not found in pod spec volume, system:node:node-1 is not authorized to request tokens for this audience`,
  );
  expect(await tokenFor(of, ["vault", "else"])).toBe(`${prefix} node may only request 0 or 1 audiences`);
});

test("a CSI driver may define audiences, and a role may allow others", async () => {
  const of = await serverWith([{ name: "v", csi: { driver: "d.example.org" } }]);
  const { server } = of;
  expect(await tokenFor(of, ["disk"])).toBe(
    'serviceaccounts "default" is forbidden: error validating audience "disk": csidriver.storage.k8s.io "d.example.org" not found',
  );
  const driver = { metadata: { name: "d.example.org" }, spec: { tokenRequests: [{ audience: "disk" }] } };
  await server.ask("POST", "/apis/storage.k8s.io/v1/csidrivers", { body: driver });
  expect(await tokenFor(of, ["disk"])).toBe(201);
  const rules = [{ verbs: ["request-serviceaccounts-token-audience"], apiGroups: [""], resources: ["else"] }];
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "asks" };
  const subjects = [{ kind: "Group", name: "system:nodes" }];
  await server.ask("POST", `${rbac}/clusterroles`, { body: { metadata: { name: "asks" }, rules } });
  await server.ask("POST", `${rbac}/clusterrolebindings`, { body: { metadata: { name: "asks" }, roleRef, subjects } });
  expect(await tokenFor(of, ["else"])).toBe(201);
});

test("forbidden fields of a mirror pod are reported before its owner", async () => {
  const { server } = await serverWith([]);
  const annotations = { "kubernetes.io/config.mirror": "x" };
  const spec = { nodeName: "node-1", containers: [{ name: "main", image: "nginx" }] };
  const refused = async (more: object) => {
    const body = { metadata: { name: "m", annotations }, spec: { ...spec, ...more } };
    return refusalOrCode(await server.ask("POST", `${core}/pods`, { body, headers: asNode }));
  };
  expect(await refused({ serviceAccountName: "default" })).toBe(
    'pods "m" is forbidden: a mirror pod may not reference service accounts',
  );
  expect(await refused({ volumes: [{ name: "v", secret: { secretName: "s" } }] })).toBe(
    'pods "m" is forbidden: a mirror pod may not reference secrets',
  );
});
