// Answers in protobuf: whatever names itself, lists in parts, events of watches.
import { describe, expect, test } from "vitest";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { decode } from "../../shared/schema/decode.ts";
import { decodeEnvelope, decodeProtobuf } from "../../shared/schema/protobuf/protobuf.ts";
import { protobufList, toProtobuf, toProtobufEvent } from "../../shared/schema/protobuf/protobuf-object.ts";

const podType = "io.k8s.api.core.v1.Pod";

function pod(name: string) {
  const spec = { containers: [{ name: "main", image: "nginx" }] };
  return decode(podType, { apiVersion: "v1", kind: "Pod", metadata: { name }, spec }).object as {
    apiVersion: string;
    metadata: object;
  };
}

describe("a protobuf answer", () => {
  test("has the type of the object's own kind", () => {
    const { apiVersion, kind, raw } = decodeEnvelope(toProtobuf(pod("p")));
    expect([apiVersion, kind]).toEqual(["v1", "Pod"]);
    expect(decodeProtobuf(podType, raw)).toMatchObject({
      metadata: { name: "p" },
      spec: { containers: [{ image: "nginx" }] },
    });
  });

  test("may be a Status or discovery in every group", () => {
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 404 };
    const { raw } = decodeEnvelope(toProtobuf(status));
    expect(decodeProtobuf("io.k8s.apimachinery.pkg.apis.meta.v1.Status", raw)).toMatchObject({ code: 404 });
    expect(decodeEnvelope(toProtobuf({ kind: "APIVersions", versions: ["v1"] } as object)).apiVersion).toBe("v1");
  });

  test("is the same for a list in parts and in full", () => {
    for (const count of [0, 1, 300]) {
      const items = Array.from({ length: count }, (_, index) => pod(`pod-${index}`));
      const metadata = { resourceVersion: "7" };
      const wholeList = toProtobuf({ apiVersion: "v1", kind: "PodList", metadata, items } as object);
      const list = protobufList("v1", "PodList", metadata);
      let bytes: Uint8Array | undefined;
      const member = (item: object) => ({
        object: () => item,
        keep: (itemBytes: Uint8Array) => void (bytes = itemBytes),
      });
      const chunks = [list.items(podType, items.slice(0, 1).map(member))];
      // What was kept of one stands for it.
      if (bytes) chunks.splice(0, 1, list.items(podType, [{ bytes, object: () => ({}) }]));
      chunks.push(list.items(podType, items.slice(1).map(member)));
      const head = list.head(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
      const joined = Buffer.concat([head, ...chunks, list.tail]);
      expect(joined.equals(Buffer.from(wholeList))).toBe(true);
    }
  });

  test("is 406 for a kind without protobuf, with upstream's message", () => {
    expect(() => toProtobuf({ apiVersion: "meta.k8s.io/v1", kind: "Table" })).toThrow(
      "object *v1.Table does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message",
    );
    expect(() => toProtobuf({ apiVersion: "example.com/v1", kind: "Widget" })).toThrow("object *v1.Widget does not");
  });

  test("has no envelope around a watch event but its object's", () => {
    // The bytes as a Go API server writes them.
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    const event = toProtobufEvent("ADDED", object);
    expect(base64Encode(event)).toBe(
      base64Encode(Uint8Array.from([0x0a, 5, ...ascii("ADDED"), 0x12, 0x30, 0x0a, 0x2e, ...toProtobuf(object)])),
    );
  });
});

function ascii(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}
