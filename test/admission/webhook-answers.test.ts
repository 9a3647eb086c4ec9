// Invalid responses of webhooks, with the errors of client-go and the API server.
import { expect, test } from "vitest";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { mutatingWebhookConfigurations } from "../../worker/kinds/admissionregistration/mutating-webhook-configuration.ts";
import { newServer } from "../api/server.ts";

type Reply = (uid: string) => Partial<Extract<OutboundAnswer, { ok: true }>>;

function fixture(reply: Reply) {
  const answer = ({ body }: OutboundCall): OutboundAnswer => {
    // `reviewOf` has built the body.
    const { request } = JSON.parse(body) as { request: { uid: string } };
    return { ok: true, status: 200, body: "", contentType: "application/json", ...reply(request.uid) };
  };
  const server = newServer({ answer, nodes: 0 });
  server.cluster.client.create(mutatingWebhookConfigurations, {
    metadata: { name: "w" },
    webhooks: [
      {
        name: "w.example.com",
        clientConfig: { url: "https://w.example.com/" },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
      },
    ],
  });
  const body = { metadata: { name: "a" }, data: { x: "1" } };
  return { ...server, make: () => server.ask("POST", "/api/v1/namespaces/default/configmaps", { body }) };
}

const review =
  (more: object, response: object = { allowed: true }): Reply =>
  (uid) => ({
    body: JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid, ...response },
      ...more,
    }),
  });
const patch = (...operations: object[]): Reply =>
  review({}, { allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(operations)) });
const call = 'failed calling webhook "w.example.com": failed to call webhook: ';
const invalid = 'failed calling webhook "w.example.com": received invalid webhook response: ';

test.each<[name: string, reply: Reply, message: string]>([
  ["nothing", () => ({}), `${call}0-length response with status code: 200 and content type: application/json`],
  [
    "half a document",
    () => ({ body: '{"a":' }),
    `${call}couldn't get version/kind; json parse error: unexpected end of JSON input`,
  ],
  [
    "another kind",
    review({ kind: "Foo" }),
    `${call}no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`,
  ],
  [
    "another version",
    review({ apiVersion: "admission.k8s.io/v1beta1" }),
    `${call}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
  ],
  [
    "no kind",
    review({ kind: "" }),
    `${invalid}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1, Kind=`,
  ],
  [
    "a field of another type",
    review({}, { allowed: "yes" }),
    `${call}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
  ],
  [
    "a Status of a failure",
    () => ({ status: 503, body: '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"sorry"}' }),
    `${call}sorry`,
  ],
  [
    "a failure in words",
    () => ({ status: 500, body: "boom", contentType: "text/plain" }),
    `${call}an error on the server ("boom") has prevented the request from succeeding`,
  ],
  [
    "another type of patch",
    review({}, { allowed: true, patchType: "MergePatch", patch: btoa("[{}]") }),
    'failed calling webhook "w.example.com": unsupported patch type "MergePatch"',
  ],
  [
    "no place to add to",
    patch({ op: "add", path: "/nope/x", value: "1" }),
    'add operation does not apply: doc is missing path: "/nope/x": missing value',
  ],
  [
    "nothing to remove",
    patch({ op: "remove", path: "/data/y" }),
    "error in remove for path: '/data/y': Unable to remove nonexistent key: y: missing value",
  ],
  [
    "a test that fails",
    patch({ op: "test", path: "/data/x", value: "2" }),
    "testing value /data/x failed: test failed",
  ],
  ["an unknown operation", patch({ op: "frob", path: "/data/x" }), "Unexpected kind: frob"],
  [
    "a value of another type",
    patch({ op: "add", path: "/data/y", value: 5 }),
    "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
  ],
  [
    "another version of the object",
    patch({ op: "replace", path: "/apiVersion", value: "v2" }),
    'no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
  ],
])("a webhook's mistake is a 500 with its error: %s", async (_, reply, message) => {
  const { make } = fixture(reply);
  const { code, body } = await make();
  expect([code, body.message]).toEqual([500, `Internal error occurred: ${message}`]);
});

test("a webhook cannot move an object to another namespace", async () => {
  const { make } = fixture(patch({ op: "replace", path: "/metadata/namespace", value: "kube-system" }));
  const { code, body } = await make();
  const message = "the namespace of the provided object does not match the namespace sent on the request";
  expect([code, body.message]).toEqual([400, message]);
});

test("duplicate owner references of a webhook become one, with a warning to the client", async () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "a", uid: "u" };
  const { make } = fixture(patch({ op: "add", path: "/metadata/ownerReferences", value: [owner, owner] }));
  const { body, headers } = await make();
  expect(body.metadata.ownerReferences).toEqual([owner]);
  const warning = ".metadata.ownerReferences contains duplicate entries after mutating admission happens";
  expect(headers.get("warning")).toContain(warning);
  expect(headers.get("warning")).toContain("duplicate UID(s) observed: u");
});
