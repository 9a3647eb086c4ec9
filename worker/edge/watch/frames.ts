// Watches in protobuf: the cluster encodes an event as a line of base64, and the client receives the bytes.
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { toProtobufEvent } from "../../../shared/schema/protobuf/protobuf-object.ts";

/** Decodes the event of a line. Bookmarks and errors are created at the edge as JSON. */
export function protobufFrame(line: string): Uint8Array {
  if (!line.startsWith("{")) return bytesOfBase64(line);
  const { type, object } = JSON.parse(line) as { type: string; object: object };
  return toProtobufEvent(type, object);
}

/** Encodes frames for a body: each follows its length in four bytes, big-endian. */
export function withLength(frames: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(frames.reduce((sum, frame) => sum + 4 + frame.length, 0));
  const view = new DataView(joined.buffer);
  let at = 0;
  for (const frame of frames) {
    view.setUint32(at, frame.length);
    joined.set(frame, at + 4);
    at += 4 + frame.length;
  }
  return joined;
}
