// The frames of SPDY/3.1 as port-forwarding clients and servers use them.
import { joinBytes } from "../../../../shared/base/byte-text.ts";

export type SpdyFrame =
  | { readonly type: "open"; readonly stream: number; readonly isLast: boolean; readonly block: Uint8Array }
  | { readonly type: "headers"; readonly stream: number; readonly isLast: boolean; readonly block: Uint8Array }
  | { readonly type: "data"; readonly stream: number; readonly isLast: boolean; readonly bytes: Uint8Array }
  | { readonly type: "reset"; readonly stream: number; readonly status: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "leave"; readonly lastStream: number; readonly status: number };

export const statuses = { good: 0, protocolError: 1, refusedStream: 3 } as const;

/** The maximum length of a frame; clients send chunks of 32 KB. */
const longestFrame = 262_144;
const headLength = 8;
const version = 3;
const finished = 1;
const types = { open: 1, reply: 2, reset: 3, settings: 4, ping: 6, leave: 7, headers: 8, window: 9 } as const;

/** Returns a reader that returns the frames completed by each chunk, or undefined after invalid data. */
export function newFrameReader(): (bytes: Uint8Array) => readonly SpdyFrame[] | undefined {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let needed = headLength;
  return (bytes) => {
    chunks.push(bytes);
    size += bytes.length;
    // Join the chunks only when a frame is complete; otherwise small chunks of a long frame are copied repeatedly.
    if (size < needed) return [];
    const all = chunks.length === 1 ? bytes : joinBytes(chunks, size);
    const frames: SpdyFrame[] = [];
    let at = 0;
    needed = headLength;
    while (all.length - at >= headLength) {
      const length = (viewOf(all).getUint32(at + 4) & 0xff_ffff) + headLength;
      if (length > longestFrame) return undefined;
      if (all.length - at < length) {
        needed = length;
        break;
      }
      const frame = decode(all.subarray(at, at + length));
      if (frame === "bad") return undefined;
      if (frame !== "ignored") frames.push(frame);
      at += length;
    }
    size = all.length - at;
    chunks = size === 0 ? [] : [all.subarray(at)];
    return frames;
  };
}

export const replyFrame = (stream: number, block: Uint8Array) => control(types.reply, 0, stream, block);
export const pingFrame = (id: number) => control(types.ping, 0, id);
export const resetFrame = (stream: number, status: number) => control(types.reset, 0, stream, uint32(status));
export const leaveFrame = (lastStream: number, status: number) => control(types.leave, 0, lastStream, uint32(status));

/** Encodes a client's SYN_STREAM without an associated stream and priority. */
export function openFrame(stream: number, block: Uint8Array, isLast = false): Uint8Array {
  const rest = joinBytes([new Uint8Array(6), block]);
  return control(types.open, isLast ? finished : 0, stream, rest);
}

export function dataFrame(stream: number, bytes: Uint8Array, isLast: boolean): Uint8Array {
  const frame = new Uint8Array(headLength + bytes.length);
  viewOf(frame).setUint32(0, stream);
  viewOf(frame).setUint32(4, ((isLast ? finished : 0) << 24) | bytes.length);
  frame.set(bytes, headLength);
  return frame;
}

function decode(frame: Uint8Array): SpdyFrame | "bad" | "ignored" {
  const view = viewOf(frame);
  const first = view.getUint32(0);
  const isLast = (view.getUint8(4) & finished) !== 0;
  if (first < 0x8000_0000) return { type: "data", stream: first, isLast, bytes: frame.subarray(headLength) };
  if ((first >>> 16) % 0x8000 !== version) return "bad";
  const type = first & 0xffff;
  // Neither clients nor upstream's servers respect windows, and settings have no effect here.
  if (type === types.settings || type === types.window || !isKnown(type)) return "ignored";
  const least: number = { [types.open]: 10, [types.reset]: 8, [types.leave]: 8 }[type] ?? 4;
  if (frame.length < headLength + least) return "bad";
  const id = view.getUint32(headLength);
  if (type === types.ping) return { type: "ping", id };
  const stream = id % 0x8000_0000;
  if (type === types.reset) return { type: "reset", stream, status: view.getUint32(12) };
  if (type === types.leave) return { type: "leave", lastStream: stream, status: view.getUint32(12) };
  if (type === types.open) return { type: "open", stream, isLast, block: frame.subarray(18) };
  return { type: "headers", stream, isLast, block: frame.subarray(12) };
}

function isKnown(type: number): boolean {
  return Object.values<number>(types).includes(type);
}

function control(type: number, flags: number, id: number, rest: Uint8Array = new Uint8Array()): Uint8Array {
  const frame = new Uint8Array(headLength + 4 + rest.length);
  const view = viewOf(frame);
  view.setUint16(0, 0x8000 | version);
  view.setUint16(2, type);
  view.setUint32(4, (flags << 24) | (4 + rest.length));
  view.setUint32(8, id);
  frame.set(rest, headLength + 4);
  return frame;
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value);
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
