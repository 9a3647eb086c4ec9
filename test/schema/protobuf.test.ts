import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { decode } from "../../shared/schema/decode.ts";
import {
  decodeEnvelope,
  decodeProtobuf,
  encodeEnvelope,
  encodeProtobuf,
} from "../../shared/schema/protobuf/protobuf.ts";

const namespace = "io.k8s.api.core.v1.Namespace";
/** The body that kubectl sends to create a namespace `a`. */
const namespaceBody = Uint8Array.from([
  0x6b, 0x38, 0x73, 0x00, 0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09, 0x4e, 0x61, 0x6d, 0x65, 0x73, 0x70, 0x61,
  0x63, 0x65, 0x12, 0x19, 0x0a, 0x11, 0x0a, 0x01, 0x61, 0x12, 0x00, 0x1a, 0x00, 0x22, 0x00, 0x2a, 0x00, 0x32, 0x00,
  0x38, 0x00, 0x42, 0x00, 0x12, 0x00, 0x1a, 0x02, 0x0a, 0x00, 0x1a, 0x00, 0x22, 0x00,
]);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  return "accepted";
}

describe("the protobuf envelope", () => {
  test("has the kind and the object", () => {
    const { apiVersion, kind, raw } = decodeEnvelope(namespaceBody);
    expect([apiVersion, kind]).toEqual(["v1", "Namespace"]);
    expect(decodeProtobuf(namespace, raw)).toEqual({ metadata: { name: "a" }, spec: {}, status: {} });
  });

  test("is encoded byte for byte as Go encodes it", () => {
    const object = decode(namespace, { metadata: { name: "a" } }).object;
    const written = encodeEnvelope({ apiVersion: "v1", kind: "Namespace", raw: encodeProtobuf(namespace, object) });
    expect([...written]).toEqual([...namespaceBody]);
  });

  test("is refused without its prefix", () => {
    expect(messageOf(() => decodeEnvelope(Uint8Array.from([1, 2, 3])))).toBe(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  });

  test("is a 400 or a smaller object if it is cut anywhere, never another error", () => {
    for (let length = 4; length < namespaceBody.length; length++) {
      messageOf(() => decodeProtobuf(namespace, decodeEnvelope(namespaceBody.subarray(0, length)).raw));
    }
    expect(messageOf(() => decodeEnvelope(namespaceBody.subarray(0, 30)))).toBe("unexpected EOF");
  });
});

describe("special protobuf types", () => {
  test.each([
    ["io.k8s.api.core.v1.Volume", { name: "v", hostPath: { path: "/x", type: "" } }],
    ["io.k8s.api.core.v1.Probe", { httpGet: { port: "http" }, periodSeconds: 3 }],
    ["io.k8s.api.core.v1.ServicePort", { port: 80, targetPort: "25%" }],
    ["io.k8s.api.core.v1.ResourceRequirements", { limits: { cpu: "100m", memory: "1Gi" } }],
    ["io.k8s.api.core.v1.SecretEnvSource", { name: "s", optional: false }],
    ["io.k8s.api.coordination.v1.LeaseSpec", { renewTime: "2026-01-02T03:04:05.000006Z", leaseTransitions: 0 }],
    ["io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry", { fieldsV1: { "f:a": {} } }],
    ["io.k8s.apimachinery.pkg.apis.meta.v1.APIResource", resource()],
    ["io.k8s.api.authentication.v1.UserInfo", { extra: { a: ["b", "c"], d: [] } }],
    ["io.k8s.api.apps.v1.ControllerRevision", { metadata: {}, data: { spec: { a: null } }, revision: 0 }],
    ["io.k8s.api.policy.v1.PodDisruptionBudgetStatus", disruptions()],
    ["io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics", metrics()],
    [
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
      {
        default: { a: [1] },
        items: { type: "string" },
        additionalProperties: true,
        dependencies: { a: ["b"], c: { type: "string" } },
        "x-kubernetes-validations": [{ rule: "true" }, { rule: "false" }],
      },
    ],
  ])("decode %s", (type, object) => {
    expect(decodeProtobuf(type, encodeProtobuf(type, object))).toEqual(object);
  });

  test("skip unknown members, and decode packed lists", () => {
    const writer = new BinaryWriter();
    writer.tag(99, WireType.LengthDelimited).string("from a later version");
    writer.tag(4, WireType.LengthDelimited).bytes(Uint8Array.from([5, 7]));
    const type = "io.k8s.api.core.v1.PodSecurityContext";
    expect(decodeProtobuf(type, writer.finish())).toEqual({ supplementalGroups: [5, 7] });
  });

  test("refuse a member of another wire type", () => {
    const writer = new BinaryWriter();
    writer.tag(1, WireType.LengthDelimited).string("3");
    expect(messageOf(() => decodeProtobuf("io.k8s.api.apps.v1.DeploymentSpec", writer.finish()))).toBe(
      "proto: wrong wireType = 2 for field Replicas",
    );
  });

  test("refuse nesting that would exhaust the stack", () => {
    const type = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
    let schema: Record<string, unknown> = {};
    for (let depth = 0; depth < 600; depth++) schema = { not: schema };
    const raw = encodeProtobuf(type, schema);
    expect(messageOf(() => decodeProtobuf(type, raw))).toBe("exceeded max depth");
  });
});

function resource() {
  return { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get", "list"] };
}

function disruptions() {
  return {
    disruptedPods: { a: "2026-01-01T00:00:00Z" },
    disruptionsAllowed: 0,
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
  };
}

function metrics() {
  return {
    metadata: {},
    timestamp: "2026-01-01T00:00:00Z",
    window: "1m30s",
    containers: [{ name: "c", usage: { cpu: "5m" } }],
  };
}
