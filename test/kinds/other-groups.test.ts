// Rules of kinds outside the core group that golden files do not show.
import { expect, test } from "vitest";
import { newServer, refusal } from "../api/server.ts";

const { ask } = newServer();
const message = async (path: string, body: object) =>
  refusal(await ask("POST", `/apis/${path}?dryRun=All`, { body: { metadata: { name: "a" }, ...body } })).message;

test("the spec of a volume that stands in an attachment is checked as one of an inline volume", async () => {
  const inlineVolumeSpec = { capacity: { storage: "1Gi" }, csi: { driver: "d.example.com", volumeHandle: "h" } };
  const spec = { attacher: "d.example.com", nodeName: "n", source: { inlineVolumeSpec } };
  const at = "spec.source.inlineVolumeSpec";
  expect(await message("storage.k8s.io/v1/volumeattachments", { spec })).toBe(
    `VolumeAttachment.storage.k8s.io "a" is invalid: [${at}.capacity: Forbidden: may not be specified in the context of inline volumes, ${at}.accessModes: Required value]`,
  );
});

test("what selects devices has to compile", async () => {
  const selectors = [{ cel: { expression: "abc" } }];
  expect(await message("resource.k8s.io/v1/deviceclasses", { spec: { selectors } })).toMatch(
    /spec\.selectors\[0\]\.cel\.expression: Invalid value: "abc": compilation failed: ERROR: .*undeclared reference to 'abc'/,
  );
});

test("a refused event is called as the core group calls it", async () => {
  expect(await message("events.k8s.io/v1/namespaces/default/events", { metadata: { name: "a/b" } })).toMatch(
    /^Event "a\/b" is invalid: /,
  );
});

test("who writes a status owns it, though the rest of the metadata stays as it was", async () => {
  const path = "/apis/networking.k8s.io/v1/servicecidrs";
  await ask("POST", path, { body: { metadata: { name: "a" }, spec: { cidrs: ["10.200.0.0/24"] } } });
  const status = { conditions: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: null }] };
  const body = { metadata: { labels: { a: "b" } }, status };
  const headers = { "content-type": "application/merge-patch+json" };
  const { metadata } = (await ask("PATCH", `${path}/a/status?fieldManager=m`, { body, headers })).body;
  expect(metadata.labels).toBeUndefined();
  expect(metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
    "m",
    "status",
  ]);
});

test("fields that are owned in a version that there is not are nobody's", async () => {
  const fields = { fieldsType: "FieldsV1", fieldsV1: { "f:description": {} } };
  const managedFields = [{ manager: "m", operation: "Update", apiVersion: "v1", ...fields }];
  const body = { metadata: { name: "a", managedFields }, value: 1 };
  const { metadata } = (await ask("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", { body })).body;
  expect(metadata.managedFields?.map(({ apiVersion }) => apiVersion)).toEqual(["scheduling.k8s.io/v1"]);
});
