// Fields that are always encoded: null for unset pointers and empty lists.
import { expect, test } from "vitest";
import { newServer } from "./server.ts";

const group = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const slice = (extra: object) => ({ addressType: "IPv4", ...extra });

test("empty lists without omitempty are null in every response", async () => {
  const { ask } = newServer();
  const body = slice({
    metadata: { name: "a", labels: { a: "b" } },
    ports: [],
    endpoints: [{ addresses: ["10.0.0.1"] }],
  });
  const created = await ask("POST", group, { body });
  expect(created.text).toContain('"ports":null');
  await ask("POST", group, { body: slice({ metadata: { name: "b", labels: { a: "b" } } }) });
  expect((await ask("GET", `${group}/b`)).text).toMatch(/"addressType":"IPv4","endpoints":null,"ports":null\}\n$/);
  // Streamed as stored, filtered, and watched.
  for (const query of ["", "?labelSelector=a", "?watch=true&resourceVersion=0&labelSelector=a"]) {
    const { text } = await ask("GET", group + query);
    expect(text).toContain('"endpoints":null');
    expect(text).not.toContain(":[]");
  }
});

test("an unset pointer without omitempty is null", async () => {
  const { ask } = newServer();
  const backend = { resource: { kind: "Bucket", name: "icons" } };
  const body = { metadata: { name: "a" }, spec: { defaultBackend: backend } };
  const { text } = await ask("POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", { body });
  expect(text).toContain('"resource":{"apiGroup":null,"kind":"Bucket","name":"icons"}');
});

test("an update with the read object changes nothing", async () => {
  const { ask } = newServer();
  await ask("POST", group, { body: slice({ metadata: { name: "a" } }) });
  const { body } = await ask("GET", `${group}/a`);
  const again = await ask("PUT", `${group}/a`, { body });
  expect([again.code, again.body.metadata.resourceVersion]).toEqual([200, body.metadata.resourceVersion]);
});

test("a new object's resource version is in order among its other metadata", async () => {
  const { ask } = newServer();
  const { text } = await ask("POST", group, { body: slice({ metadata: { name: "a", labels: { a: "b" } } }) });
  expect(text).toMatch(/"uid":"[^"]+","resourceVersion":"\d+","generation":1,"creationTimestamp"/);
});

const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const merge = { "content-type": "application/merge-patch+json" };

test("a manager who sends an empty list owns it, though none is stored; a manager who omits it does not", async () => {
  const { ask } = newServer();
  const owned = async (name: string) => {
    const { metadata } = (await ask("GET", `${roles}/${name}`)).body;
    return (metadata.managedFields ?? []).flatMap(({ fieldsV1 }) => Object.keys(fieldsV1 ?? {}));
  };
  const created = await ask("POST", roles, { body: { metadata: { name: "empty" }, rules: [] } });
  expect(created.text).toContain('"rules":null');
  expect(await owned("empty")).toEqual(["f:rules"]);
  await ask("POST", roles, { body: { metadata: { name: "none", labels: { c: "d" } } } });
  await ask("PATCH", `${roles}/none`, { headers: merge, body: { metadata: { labels: { a: "b" } } } });
  expect(await owned("none")).toEqual(["f:metadata"]);
  await ask("PATCH", `${roles}/none`, { headers: merge, body: { rules: [] } });
  expect(await owned("none")).toContain("f:rules");
});

test("a NetworkPolicy with an empty list gets a new generation with each update, as storage drops the list", async () => {
  const { ask } = newServer();
  const policies = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
  const body = (spec: object) => ({ metadata: { name: "a" }, spec: { podSelector: {}, ...spec } });
  await ask("POST", policies, { body: body({ ingress: [] }) });
  const generation = async (spec: object) =>
    (await ask("PUT", `${policies}/a`, { body: body(spec) })).body.metadata.generation;
  expect([await generation({ ingress: [] }), await generation({ ingress: [] }), await generation({})]).toEqual([
    2, 3, 3,
  ]);
});
