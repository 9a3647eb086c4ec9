// Watches in protobuf on the edge: lines of base64 become frames, the edge's own events too.
import { describe, expect, test } from "vitest";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { toProtobufEvent } from "../../shared/schema/protobuf/protobuf-object.ts";
import { protobufFrame, withLength } from "../../worker/edge/watch/frames.ts";
import { bodySink } from "../../worker/edge/watch/sinks.ts";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const event = toProtobufEvent("ADDED", object);

describe("a watch in protobuf", () => {
  test("a frame is its length in four big-endian bytes, and then the event", () => {
    const long = new Uint8Array(70_000).fill(1);
    const joined = withLength([event, long]);
    expect([...joined.subarray(0, 4)]).toEqual([0, 0, 0, event.length]);
    expect([...joined.subarray(4, 4 + event.length)]).toEqual([...event]);
    expect([...joined.subarray(4 + event.length, 8 + event.length)]).toEqual([0, 1, 0x11, 0x70]);
    expect(joined.length).toBe(8 + event.length + long.length);
  });

  test("the cluster's lines are base64, and the edge's own events are JSON", () => {
    expect(protobufFrame(base64Encode(event))).toEqual(event);
    expect(protobufFrame(JSON.stringify({ type: "ADDED", object }))).toEqual(event);
  });

  test("V2: watches of one change share its bytes for each format", async () => {
    const written = { json: [] as Uint8Array[], protobuf: [] as Uint8Array[] };
    const sinkOf = (form: keyof typeof written) =>
      bodySink(
        new WritableStream({ write: (chunk: Uint8Array) => void written[form].push(chunk) }),
        form === "protobuf" ? protobufFrame : undefined,
      );
    const lines = ["ADDED", "DELETED"].map((type) => `${JSON.stringify({ type, object })}\n`);
    for (const form of ["json", "protobuf", "json", "protobuf"] as const) {
      const sink = sinkOf(form);
      for (const line of lines) await sink.write(line);
    }
    for (const form of ["json", "protobuf"] as const) {
      const expected = lines.map((line) =>
        form === "json" ? new TextEncoder().encode(line) : withLength([protobufFrame(line)]),
      );
      expect(written[form]).toEqual([...expected, ...expected]);
    }
  });

  test("a body is split at lines, for any chunks", async () => {
    const chunks: Uint8Array[] = [];
    const sink = bodySink(new WritableStream({ write: (chunk) => void chunks.push(chunk) }), protobufFrame);
    const bytes = new TextEncoder().encode(`${base64Encode(event)}\n`.repeat(3));
    await sink.pipe(
      new ReadableStream({
        start: (controller) => {
          for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.subarray(at, at + 7));
          controller.close();
        },
      }),
    );
    await sink.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
    await sink.end();
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(withLength([event, event, event, event])));
  });
});
