// Sandboxes without controllers, as an API server for tests.
import { expect, test, vi } from "vitest";
import { newSandbox } from "./sandbox.ts";

const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "nginx" }] } };

test("I8: a namespace is created empty without controllers, and pods need no service account", async () => {
  const sandbox = await newSandbox({ nodes: 0, settings: { controllers: "off" } });
  await sandbox.call("POST", "/api/v1/namespaces", { metadata: { name: "mine" } });
  await sandbox.call("POST", "/api/v1/namespaces/mine/pods", pod);
  const list = async (path: string) => (await sandbox.call("GET", path)) as { items?: { status?: object }[] };
  expect((await list("/api/v1/namespaces/mine/serviceaccounts")).items).toEqual([]);
  expect((await list("/api/v1/namespaces/mine/pods")).items).toMatchObject([{ status: { phase: "Pending" } }]);
  expect((await list("/api/v1/namespaces/mine/configmaps")).items).toEqual([]);
});

test("I8: CustomResourceDefinitions work without controllers", async () => {
  const sandbox = await newSandbox({ nodes: 0, settings: { controllers: "off" } });
  const versions = [
    { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: {} } } },
  ];
  const names = { plural: "boats", singular: "boat", kind: "Boat", listKind: "BoatList" };
  await sandbox.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "boats.example.org" },
    spec: { group: "example.org", scope: "Namespaced", names, versions },
  });
  const path = "/apis/example.org/v1/namespaces/default/boats";
  // Controllers of the API server itself establish it, soon after.
  await vi.waitFor(async () => expect((await sandbox.send(path)).status).toBe(200), { timeout: 10_000 });
  await sandbox.call("POST", path, { apiVersion: "example.org/v1", kind: "Boat", metadata: { name: "one" } });
  expect(await sandbox.call("GET", `${path}/one`)).toMatchObject({ kind: "Boat" });
});

test("I8: a namespace gets its service account with that controller, and pods require it", async () => {
  const sandbox = await newSandbox({ nodes: 0, settings: { controllers: ["serviceaccount-controller"] } });
  const answer = await sandbox.send("/api/v1/namespaces/default/pods", { method: "POST", body: JSON.stringify(pod) });
  expect(answer.status).toBe(201);
  const createdPod = await answer.json<{ spec: { serviceAccountName?: string } }>();
  expect(createdPod.spec.serviceAccountName).toBe("default");
});
