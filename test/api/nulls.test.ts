// Fields that are always written: of what was not given, as of an empty list, null is told.
import { expect, test } from "vitest";
import { newServer } from "./server.ts";

const group = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const slice = (extra: object) => ({ addressType: "IPv4", ...extra });

test("empty lists that are always written are null wherever an object is shown", async () => {
  const { ask } = newServer();
  const body = slice({
    metadata: { name: "a", labels: { a: "b" } },
    ports: [],
    endpoints: [{ addresses: ["10.0.0.1"] }],
  });
  const made = await ask("POST", group, { body });
  expect(made.text).toContain('"ports":null');
  await ask("POST", group, { body: slice({ metadata: { name: "b", labels: { a: "b" } } }) });
  expect((await ask("GET", `${group}/b`)).text).toMatch(/"addressType":"IPv4","endpoints":null,"ports":null\}\n$/);
  // Streamed as they are stored, filtered, and watched.
  for (const query of ["", "?labelSelector=a", "?watch=true&resourceVersion=0&labelSelector=a"]) {
    const { text } = await ask("GET", group + query);
    expect(text).toContain('"endpoints":null');
    expect(text).not.toContain(":[]");
  }
});

test("a pointer that is always written is null where it is not given", async () => {
  const { ask } = newServer();
  const backend = { resource: { kind: "Bucket", name: "icons" } };
  const body = { metadata: { name: "a" }, spec: { defaultBackend: backend } };
  const { text } = await ask("POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", { body });
  expect(text).toContain('"resource":{"apiGroup":null,"kind":"Bucket","name":"icons"}');
});

test("what is written back as it was shown is no change", async () => {
  const { ask } = newServer();
  await ask("POST", group, { body: slice({ metadata: { name: "a" } }) });
  const { body } = await ask("GET", `${group}/a`);
  const again = await ask("PUT", `${group}/a`, { body });
  expect([again.code, again.body.metadata.resourceVersion]).toEqual([200, body.metadata.resourceVersion]);
});

test("a new object's revision stands among its other metadata", async () => {
  const { ask } = newServer();
  const { text } = await ask("POST", group, { body: slice({ metadata: { name: "a", labels: { a: "b" } } }) });
  expect(text).toMatch(/"uid":"[^"]+","resourceVersion":"\d+","generation":1,"creationTimestamp"/);
});
