// Kubernetes' protobuf: the envelope around an object, and the object from and to JSON.
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { assert } from "../../base/assert.ts";
import { ApiError } from "../../k8s/status.ts";
import { decode } from "../decode.ts";
import { typeOf } from "../graph.ts";
import { isObject } from "../json-values.ts";
import { BackwardWriter, tagOf } from "./backward-writer.ts";
import { MessageReader, readMessage } from "./protobuf-read.ts";
import { writerOf } from "./protobuf-write.ts";

/** Upstream's decoded `runtime.Unknown`. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message of the object. */
  readonly raw: Uint8Array;
  readonly contentType: string;
}

/** The first bytes of every envelope: `k8s` and a zero. */
const magic = [0x6b, 0x38, 0x73, 0x00];

export function decodeEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw ApiError.badRequest("empty data");
  if (magic.some((byte, index) => bytes[index] !== byte)) {
    throw ApiError.badRequest(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(" ")}]`,
    );
  }
  return guarded(() => readEnvelope(bytes.subarray(magic.length)));
}

export function encodeEnvelope(envelope: { apiVersion: string; kind: string; raw: Uint8Array }): Uint8Array {
  const writer = new BinaryWriter();
  writer.raw(Uint8Array.from(magic));
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(envelope.apiVersion);
  writer.tag(2, WireType.LengthDelimited).string(envelope.kind);
  writer.join();
  writer.tag(2, WireType.LengthDelimited).bytes(envelope.raw);
  // Encoding and content type are empty, but written.
  writer.tag(3, WireType.LengthDelimited).string("");
  writer.tag(4, WireType.LengthDelimited).string("");
  return writer.finish();
}

/** Decodes a message. The result has no apiVersion and kind, which only the envelope has. */
export function decodeProtobuf(type: string, raw: Uint8Array): unknown {
  const node = typeOf(type);
  if (!node) throw ApiError.badRequest(`no protobuf form is known of ${type}`);
  const message = guarded(() => readMessage(node, new MessageReader(raw), raw.length, 0));
  return decode(type, message).object;
}

/** Encodes a decoded object. */
export function encodeProtobuf(type: string, object: unknown): Uint8Array<ArrayBuffer> {
  return written((out) => messageWriter(type)(object, out));
}

/** Encodes a decoded object in its envelope. */
export function encodeEnveloped(type: string, object: unknown, named: Named): Uint8Array<ArrayBuffer> {
  return written((out) => writeEnveloped(type, object, named, out));
}

export interface Named {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Writes an envelope, backwards like everything that takes an `out`. */
export function writeEnveloped(type: string, object: unknown, { apiVersion, kind }: Named, out: BackwardWriter): void {
  // Encoding and content type are empty, but written.
  out.text(tagOf(4, "delimited"), "");
  out.text(tagOf(3, "delimited"), "");
  const raw = out.length;
  messageWriter(type)(object, out);
  out.end(tagOf(2, "delimited"), raw);
  const meta = out.length;
  out.text(tagOf(2, "delimited"), kind);
  out.text(tagOf(1, "delimited"), apiVersion);
  out.end(tagOf(1, "delimited"), meta);
  out.raw(Uint8Array.from(magic));
}

/** An object that is a member of a message. */
export interface MemberObject {
  /** The cached bytes; undefined if the object has to be encoded. */
  readonly bytes?: Uint8Array | undefined;
  object(): unknown;
  /** Receives the encoded bytes, with tag and length, for a cache. */
  keep?(bytes: Uint8Array): void;
}

/** Encodes objects as members `number` of a message, such as the items of a list. */
export function encodeMembers(number: number, type: string, members: readonly MemberObject[]): Uint8Array<ArrayBuffer> {
  const tag = tagOf(number, "delimited");
  const write = messageWriter(type);
  return written((out) => {
    for (const member of members.toReversed()) {
      if (member.bytes) {
        out.raw(member.bytes);
        continue;
      }
      const before = out.length;
      write(member.object(), out);
      out.end(tag, before);
      member.keep?.(out.copySince(before));
    }
  });
}

function messageWriter(type: string): (object: unknown, out: BackwardWriter) => void {
  const node = typeOf(type);
  assert(node, `no protobuf form is known of ${type}`);
  const write = writerOf(node);
  return (object, out) => write(isObject(object) ? object : {}, out);
}

const shared = new BackwardWriter();

/** Returns the bytes that a function writes. All calls share one writer, since they are synchronous. */
export function written(write: (out: BackwardWriter) => void): Uint8Array<ArrayBuffer> {
  // A write that failed may have left bytes behind.
  shared.clear();
  write(shared);
  return shared.finish();
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const envelope: { -readonly [Key in keyof Envelope]: Envelope[Key] } = {
    apiVersion: "",
    kind: "",
    raw: new Uint8Array(),
    contentType: "",
  };
  const reader = new BinaryReader(bytes);
  while (reader.pos < bytes.length) {
    const [number, wireType] = reader.tag();
    if (number === 1) {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) {
        const [inner, innerType] = reader.tag();
        if (inner === 1) envelope.apiVersion = reader.string();
        else if (inner === 2) envelope.kind = reader.string();
        else reader.skip(innerType, inner);
      }
    } else if (number === 2) envelope.raw = reader.bytes();
    else if (number === 4) envelope.contentType = reader.string();
    else reader.skip(wireType, number);
  }
  return envelope;
}

/** Turns an exception of the wire reader into a 400. */
function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    if (thrown instanceof RangeError) throw ApiError.badRequest("unexpected EOF");
    if (thrown instanceof Error) throw ApiError.badRequest(`proto: ${thrown.message}`);
    throw thrown;
  }
}
