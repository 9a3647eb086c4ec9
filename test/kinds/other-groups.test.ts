// Rules of kinds outside the core group that are not in golden files.
import { expect, test } from "vitest";
import { newServer, refusal } from "../api/server.ts";

const { ask } = newServer();
const message = async (path: string, body: object) =>
  refusal(await ask("POST", `/apis/${path}?dryRun=All`, { body: { metadata: { name: "a" }, ...body } })).message;

test("the inline volume of an attachment is validated like any other", async () => {
  const inlineVolumeSpec = { capacity: { storage: "1Gi" }, csi: { driver: "d.example.com", volumeHandle: "h" } };
  const spec = { attacher: "d.example.com", nodeName: "n", source: { inlineVolumeSpec } };
  const at = "spec.source.inlineVolumeSpec";
  expect(await message("storage.k8s.io/v1/volumeattachments", { spec })).toBe(
    `VolumeAttachment.storage.k8s.io "a" is invalid: [${at}.capacity: Forbidden: may not be specified in the context of inline volumes, ${at}.accessModes: Required value]`,
  );
});

test("device selectors must compile", async () => {
  const selectors = [{ cel: { expression: "abc" } }];
  expect(await message("resource.k8s.io/v1/deviceclasses", { spec: { selectors } })).toMatch(
    /spec\.selectors\[0\]\.cel\.expression: Invalid value: "abc": compilation failed: ERROR: .*undeclared reference to 'abc'/,
  );
});

test("an error of an event has the field names of the core group", async () => {
  expect(await message("events.k8s.io/v1/namespaces/default/events", { metadata: { name: "a/b" } })).toMatch(
    /^Event "a\/b" is invalid: /,
  );
});

test("a manager of the status owns it, though the metadata are unchanged", async () => {
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

test("fields that were owned in a missing version have no manager", async () => {
  const fields = { fieldsType: "FieldsV1", fieldsV1: { "f:description": {} } };
  const managedFields = [{ manager: "m", operation: "Update", apiVersion: "v1", ...fields }];
  const body = { metadata: { name: "a", managedFields }, value: 1 };
  const { metadata } = (await ask("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", { body })).body;
  expect(metadata.managedFields?.map(({ apiVersion }) => apiVersion)).toEqual(["scheduling.k8s.io/v1"]);
});
