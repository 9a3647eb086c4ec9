// Rules of single kinds that need whole requests: groups in errors, relevant changes, field formats.
import { expect, test } from "vitest";
import { type Answer, core, newServer, pod, refusal, refused } from "./server.ts";

const server = newServer({ controllers: [] });
const { ask } = server;
const dry = "?dryRun=All";
const events = "/apis/events.k8s.io/v1/namespaces/default/events";
const patch = (path: string, body: unknown) =>
  ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });
const causes = ({ text }: Answer) =>
  (JSON.parse(text) as { details: { causes: { field: string; message: string }[] } }).details.causes.map(
    ({ field, message }) => `${field}: ${message}`,
  );

function event(name: string, metadata: object = {}) {
  return {
    metadata: { name, namespace: "default", ...metadata },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
    action: "A",
    reason: "R",
    type: "Normal",
    regarding: { kind: "Pod", name: "p", namespace: "default" },
  };
}

test("refused events name the group of the request", async () => {
  await ask("POST", events, { body: event("e") });
  const qualified = 'events.events.k8s.io "e"';
  const messageOf = async (answer: Promise<Answer>) => (await answer).body.message;
  expect(await messageOf(ask("POST", events, { body: event("e") }))).toBe(`${qualified} already exists`);
  expect(await messageOf(ask("PUT", `${events}/e`, { body: event("e", { uid: "x" }) }))).toContain(
    ` on ${qualified}: Storage`,
  );
  expect(await messageOf(ask("PUT", `${events}/e`, { body: event("e", { resourceVersion: "1" }) }))).toContain(
    `on ${qualified}: the object has been modified`,
  );
  expect(await messageOf(ask("GET", `${events}/none`))).toBe('events.events.k8s.io "none" not found');
  expect(await messageOf(patch(`${events}/none`, {}))).toBe('events.events.k8s.io "none" not found');
  expect(await messageOf(ask("DELETE", `${events}/none`))).toBe('events.events.k8s.io "none" not found');
  expect(await messageOf(ask("GET", `${core}/events/none`))).toBe('events "none" not found');
});

test("an event of events.k8s.io may reset its managed fields, and one that a PUT creates may not have a uid", async () => {
  const reset = event("reset", { managedFields: [{}] });
  expect((await ask("POST", events, { body: reset })).body.metadata.managedFields).toHaveLength(1);
  expect((await ask("PUT", `${events}/reset`, { body: reset })).code).toBe(200);
  expect((await ask("PUT", `${events}/other`, { body: event("other", { uid: "x" }) })).code).toBe(409);
  expect((await ask("PUT", `${events}/other`, { body: event("other") })).code).toBe(201);
});

test("a CSIDriver's generation continues from the given value", async () => {
  const path = "/apis/storage.k8s.io/v1/csidrivers";
  const created = await ask("POST", path, { body: { metadata: { name: "d", generation: 7 }, spec: {} } });
  expect(created.body.metadata.generation).toBe(7);
  expect((await patch(`${path}/d`, { metadata: { generation: 44 } })).body.metadata.generation).toBe(7);
  expect((await patch(`${path}/d`, { spec: { podInfoOnMount: true } })).body.metadata.generation).toBe(8);
});

test("an EndpointSlice's generation rises with its labels, and with a dropped topology", async () => {
  const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
  const body = { metadata: { name: "s" }, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] };
  const generation = async (answer: Promise<Answer>) => (await answer).body.metadata.generation;
  expect(await generation(ask("POST", path, { body }))).toBe(1);
  expect(await generation(patch(`${path}/s`, { metadata: { annotations: { a: "b" } } }))).toBe(1);
  expect(await generation(patch(`${path}/s`, { metadata: { labels: { a: "b" } } }))).toBe(2);
  const endpoints = [{ addresses: ["10.0.0.1"], deprecatedTopology: { a: "b" } }];
  const answer = await patch(`${path}/s`, { endpoints });
  expect(answer.body.metadata.generation).toBe(3);
  expect(answer.text).not.toContain("deprecatedTopology");
});

test("a ResourceSlice reports immutable fields before missing ones", async () => {
  const path = "/apis/resource.k8s.io/v1/resourceslices";
  const spec = { driver: "d.x", nodeName: "n", pool: { name: "p", generation: 1, resourceSliceCount: 1 } };
  await ask("POST", path, { body: { metadata: { name: "s" }, spec } });
  expect(causes(await patch(`${path}/s`, { spec: { nodeName: null } }))).toEqual([
    "spec.nodeName: Invalid value: null: field is immutable",
    "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
  ]);
});

test.each([
  [{ azureDisk: { diskName: "d", diskURI: "https://a", kind: "Shared" } }, undefined],
  [
    { azureDisk: { diskName: "d", diskURI: "https://a", kind: "Managed" } },
    'azureDisk.diskURI: Unsupported value: "https://a": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
  ],
  [
    { azureDisk: { diskName: "d", diskURI: "x" } },
    'azureDisk.diskURI: Unsupported value: "x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
  ],
  [{ quobyte: { registry: "a:1,[::1]:2,:", volume: "v" } }, undefined],
  [
    { quobyte: { registry: "a:1,b", volume: "v" } },
    'quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
  ],
  [
    { quobyte: { registry: "b", volume: "v", tenant: "x".repeat(65) } },
    "quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters",
  ],
])("the address of a volume is validated by its kind: %j", async (source, problem) => {
  const template = { spec: { ...pod("p").spec, volumes: [{ name: "v", ...source }] } };
  const answer = await ask("POST", `${core}/podtemplates${dry}`, { body: { metadata: { name: "t" }, template } });
  if (problem === undefined) expect(answer.code).toBe(201);
  else expect(causes(answer)).toEqual([`template.spec.volumes[0].${problem}`]);
});

const definitions = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions${dry}`;

function definition(schema: object, version: object = {}) {
  return {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    },
  };
}

test("the default of an int-or-string may be any value, and the default of an embedded resource loses unknown metadata", async () => {
  const metadata = { name: "n", unknown: "x" };
  const properties = {
    port: { "x-kubernetes-int-or-string": true, default: 5.5 },
    inner: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { apiVersion: "v1", kind: "K", metadata },
    },
  };
  const { code, text } = await ask("POST", definitions, { body: definition({ type: "object", properties }) });
  expect([code, text]).toEqual([201, expect.stringContaining('"default":5.5')]);
  expect(text).toContain('"metadata":{"name":"n"}');
});

test("a warning that cannot be printed is shown in JSON, with the position in bytes", async () => {
  const body = definition({ type: "object" }, { deprecated: true, deprecationWarning: "é\u0007" });
  expect(refusal(await ask("POST", definitions, { body }))).toEqual(
    refused(
      422,
      "Invalid",
      'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: spec.versions[0].deprecationWarning: Invalid value: "é\\u0007": must only contain printable UTF-8 characters; non-printable character found at index 2',
    ),
  );
});

test("a namespace that is deleted with orphanDependents=false waits for its dependents", async () => {
  await ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "old" } } });
  const { code, body } = await ask("DELETE", "/api/v1/namespaces/old", { body: { orphanDependents: false } });
  expect(code).toBe(202);
  expect(body.metadata.finalizers).toEqual(["foregroundDeletion"]);
});

test("a missing field of a JSONPatch has no type", async () => {
  const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] };
  const expression = '[JSONPatch{opp: "add"}]';
  const spec = {
    matchConstraints: { resourceRules: [rule] },
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
  };
  const path = `/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies${dry}`;
  expect(causes(await ask("POST", path, { body: { metadata: { name: "p" }, spec } }))[0]).toContain(
    "ERROR: <input>:1:15: expected type of field 'opp' is '' but provided type is 'string'",
  );
});
