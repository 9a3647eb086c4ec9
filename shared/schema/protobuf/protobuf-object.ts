// Encodes any answer of the API as protobuf, by its apiVersion and kind: objects, lists, Status, and watch events.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ApiError } from "../../k8s/status.ts";
import { type TypeNode, typeOf } from "../graph.ts";
import { tagOf } from "./backward-writer.ts";
import {
  type MemberObject,
  encodeEnvelope,
  encodeEnveloped,
  encodeMembers,
  encodeProtobuf,
  writeEnveloped,
  written,
} from "./protobuf.ts";
import { typeFacts } from "../type-facts.ts";

/** An object with its type. The oldest discovery documents have no apiVersion. */
interface Named {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** Encodes a decoded object in its envelope. Throws 406 if it has no protobuf form, such as a Table. */
export function toProtobuf(object: Named): Uint8Array<ArrayBuffer> {
  const { apiVersion = "v1", kind = "" } = object;
  return encodeEnveloped(protobufType(apiVersion, kind).name, object, { apiVersion, kind });
}

/** Encodes an event of a watch, without the length before it. Only the object in it has an envelope. */
export function toProtobufEvent(type: string, object: Named): Uint8Array<ArrayBuffer> {
  const { apiVersion = "v1", kind = "" } = object;
  const { name } = protobufType(apiVersion, kind);
  return written((out) => {
    writeEnveloped(name, object, { apiVersion, kind }, out);
    out.end(tagOf(1, "delimited"), 0);
    out.end(tagOf(2, "delimited"), 0);
    out.text(tagOf(1, "delimited"), type);
  });
}

/** A list that is encoded in parts, because it is too long for memory. */
export interface ProtobufList {
  /** Returns everything before the items; `length` is the total length of the items. */
  head(length: number): Uint8Array<ArrayBuffer>;
  /** Encodes decoded objects of a type as items of the list. */
  items(type: string, members: readonly MemberObject[]): Uint8Array<ArrayBuffer>;
  readonly tail: Uint8Array<ArrayBuffer>;
}

export function protobufList(apiVersion: string, kind: string, metadata: object): ProtobufList {
  const meta = new BinaryWriter();
  meta.tag(1, WireType.LengthDelimited).bytes(encodeProtobuf(listMeta, metadata));
  const start = meta.finish();
  const empty = encodeEnvelope({ apiVersion, kind, raw: new Uint8Array() });
  // The object's bytes are the second field of the envelope: this is the position of its length.
  const at = empty.length - envelopeEnd;
  return {
    head: (length) => {
      const writer = new BinaryWriter();
      writer
        .raw(empty.subarray(0, at))
        .uint32(start.length + length)
        .raw(start);
      return owned(writer.finish());
    },
    items: (type, members) => encodeMembers(2, type, members),
    tail: owned(empty.subarray(at + 1)),
  };
}

const listMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
/** The length of an empty object (one byte), then the two empty texts behind it. */
const envelopeEnd = 1 + 2 + 2;

/** Returns the type of a kind. Throws 406 if it has no protobuf form. */
export function protobufType(apiVersion: string, kind: string): TypeNode {
  const slash = apiVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  // Status and a few others belong to every group version.
  const name = types().get(`${group}/${version}/${kind}`) ?? types().get(`meta.k8s.io/v1/${kind}`);
  const node = name === undefined ? undefined : typeOf(name);
  if (node && node.members.length > 0) return node;
  throw new ApiError(
    406,
    "NotAcceptable",
    `object *${node?.goName ?? `${version}.${kind}`} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
  );
}

const typesByKind = new Map<string, string>();

function types(): ReadonlyMap<string, string> {
  if (typesByKind.size > 0) return typesByKind;
  for (const { group, version, kind, type } of typeFacts.kinds) typesByKind.set(`${group}/${version}/${kind}`, type);
  return typesByKind;
}

/** Narrows the type: the writer never returns a view of a shared buffer. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
