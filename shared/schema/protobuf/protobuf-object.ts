// Whatever the API answers in protobuf, found by its own apiVersion and kind: objects, lists, Status, and the events of watches.
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

/** Objects name themselves; the oldest discovery documents have no apiVersion. */
interface Named {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** An object in the form that `decode` gives, in its envelope. Throws 406 where it has no protobuf form, as a Table. */
export function toProtobuf(object: Named): Uint8Array<ArrayBuffer> {
  const { apiVersion = "v1", kind = "" } = object;
  return encodeEnveloped(protobufType(apiVersion, kind).name, object, { apiVersion, kind });
}

/** An event as a watch's stream carries it, without the length before it: no envelope but the object's own. */
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

/** A list in parts, for one that is too long to be in memory. */
export interface ProtobufList {
  /** All before the items; `length` is theirs together. */
  head(length: number): Uint8Array<ArrayBuffer>;
  /** Objects of a type in the form that `decode` gives, as they stand in the list. */
  items(type: string, members: readonly MemberObject[]): Uint8Array<ArrayBuffer>;
  readonly tail: Uint8Array<ArrayBuffer>;
}

export function protobufList(apiVersion: string, kind: string, metadata: object): ProtobufList {
  const meta = new BinaryWriter();
  meta.tag(1, WireType.LengthDelimited).bytes(encodeProtobuf(listMeta, metadata));
  const start = meta.finish();
  const empty = encodeEnvelope({ apiVersion, kind, raw: new Uint8Array() });
  // The object's bytes are the envelope's second field: all before it, then its length, and what follows it.
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
/** An empty object's length (one byte), then the two empty texts behind it. */
const envelopeEnd = 1 + 2 + 2;

/** The type of a kind; throws 406 where it has no protobuf form. */
export function protobufType(apiVersion: string, kind: string): TypeNode {
  const slash = apiVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  // Status and the like belong to every group version.
  const name = types().get(`${group}/${version}/${kind}`) ?? types().get(`meta.k8s.io/v1/${kind}`);
  const node = name === undefined ? undefined : typeOf(name);
  if (node && node.members.length > 0) return node;
  throw new ApiError(
    406,
    "NotAcceptable",
    `object *${node?.goName ?? `${version}.${kind}`} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
  );
}

const known = new Map<string, string>();

function types(): ReadonlyMap<string, string> {
  if (known.size > 0) return known;
  for (const { group, version, kind, type } of typeFacts.kinds) known.set(`${group}/${version}/${kind}`, type);
  return known;
}

/** What the writer gives is never over a shared buffer. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
