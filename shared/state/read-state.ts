// Reads the state of a cluster from a file: its index, and the objects, a block at a time.
import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { must } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import { decodeUtf8 } from "../base/utf8.ts";
import {
  damaged,
  type StateCertificates,
  type StateEntry,
  StateFileError,
  type StateHeader,
  type StateKey,
  type StateLead,
  type StateMeta,
  stateVersion,
} from "./format.ts";
import { Holes } from "./holes.ts";
import { decodeIndex, type StateIndex, type StateRow } from "./state-index.ts";
import { headerShape, leadShape, metaShape } from "./shapes.ts";

export interface StateFile {
  readonly lead: StateLead;
  readonly header: StateHeader;
  readonly meta: StateMeta;
  /** Yields the entries in the order of their keys. */
  entries(): Iterable<StateEntry>;
  find(key: StateKey): StateEntry | undefined;
  /**
   * Returns the JSON of one of its entries, with the certificates of its own cluster or of another one. Throws `StateFileError` if the
   * block is damaged.
   */
  text(entry: StateKey, certificates?: StateCertificates): string;
}

/** The layout of a file, which is stored for reading the file in chunks. */
export interface StateLayout {
  readonly lead: StateLead;
  readonly header: StateHeader;
  /** The offset of the index; `meta` comes after it, and then the blocks, up to the end of the file. */
  readonly indexAt: number;
  readonly end: number;
}

/** Bytes of a file from one offset to another. */
export type ReadBytes = (from: number, to: number) => Uint8Array;

const inflatedSlack = 64 * 1024;
/** The limit of bytes of the first lines. A longer line is not of a state file. */
const lineBytes = 4096;
const newline = 10;

/**
 * Checks that a file is complete and unaltered, and opens it. Throws `StateFileError`. Texts are filled with the file's own certificates.
 */
export function readStateFile(bytes: Uint8Array): StateFile {
  const layout = checkedLayout(bytes);
  const read: ReadBytes = (from, to) => bytes.subarray(from, to);
  const index = readIndex(layout, read);
  const meta = readMeta(layout, read);
  const holes = new Holes(meta.certificates);
  const entryOf = (row: StateRow): StateEntry => ({ ...row, characters: row.characters + holes.growth(row.holes) });
  let cachedBlock = { block: -1, text: "" };
  return {
    lead: layout.lead,
    header: layout.header,
    meta,
    *entries() {
      for (const row of index.rows) yield entryOf(row);
    },
    find: (key) => {
      const row = index.find(key);
      return row && entryOf(row);
    },
    text: (key, certificates) => {
      const row = index.find(key);
      if (!row) throw new Error(`${key.resource}/${key.namespace}/${key.name} is not in the file`);
      if (row.block !== cachedBlock.block) cachedBlock = { block: row.block, text: readBlock(index, row.block, read) };
      return (certificates ? new Holes(certificates) : holes).fill(textIn(cachedBlock.text, row));
    },
  };
}

/** Validates that a file is complete and unaltered, and returns its layout. */
export function checkedLayout(bytes: Uint8Array): StateLayout {
  const { value, end } = line(bytes, 0);
  const lead = leadShape.safeParse(value);
  if (!lead.success) throw new StateFileError("not_a_state", "This is not the state of a sandbox.");
  const { version, size, digest } = lead.data;
  if (version > stateVersion) {
    const message = `The file is of version ${version} of its format, and this service reads version ${stateVersion} at most.`;
    throw new StateFileError("newer", message);
  }
  const rest = bytes.subarray(end);
  if (rest.length < size) throw new StateFileError("cut", `The file was cut: ${size - rest.length} bytes are missing.`);
  if (rest.length > size || createHash("sha256").update(rest).digest("hex") !== digest) {
    throw new StateFileError("altered", "The file was altered: it is not what its digest says.");
  }
  const second = line(bytes, end);
  const header = headerShape.safeParse(second.value);
  if (!header.success) throw damaged("its header");
  return { lead: lead.data, header: header.data, indexAt: second.end, end: bytes.length };
}

export function readIndex({ header, indexAt, end }: StateLayout, read: ReadBytes): StateIndex {
  const { index, meta } = header;
  const what = "its index";
  const text = inflated(read(indexAt, indexAt + index.packed), index.bytes, limits.stateIndexBytes, what);
  return decodeIndex(parsed(text, what), header, indexAt + index.packed + meta.packed, end);
}

export function readMeta({ header, indexAt }: StateLayout, read: ReadBytes): StateMeta {
  const at = indexAt + header.index.packed;
  const what = "its part with settings and queue";
  const text = inflated(read(at, at + header.meta.packed), header.meta.bytes, limits.stateMetaBytes, what);
  const meta = metaShape.safeParse(parsed(text, what));
  if (!meta.success) throw damaged(what);
  return meta.data;
}

/** Returns the joined texts of a block's objects. Their holes (see `holes.ts`) are not filled yet. */
export function readBlock({ blocks }: StateIndex, block: number, read: ReadBytes): string {
  const { from, to, bytes } = must(blocks[block], "a block of the file");
  return inflated(read(from, to), bytes, limits.stateBlockBytesMost, `block ${block}`);
}

/** Returns an object's text, its holes not filled. */
export function textIn(block: string, { from, characters }: StateRow): string {
  const text = block.slice(from, from + characters);
  if (text.length < characters) throw damaged("a block");
  return text;
}

/** Decompresses a part. `bytes` is the size that the file states. */
function inflated(packed: Uint8Array, bytes: number, most: number, what: string): string {
  if (bytes > most) throw damaged(what);
  let inflatedBytes: Uint8Array | undefined;
  try {
    // `maxOutputLength` limits the output buffer, which zlib doubles as it fills it, from 16 KiB. The length itself is checked below.
    inflatedBytes = inflateRawSync(packed, { maxOutputLength: 2 * bytes + inflatedSlack });
  } catch {
    throw damaged(what);
  }
  const text = inflatedBytes.length === bytes ? decodeUtf8(inflatedBytes) : undefined;
  if (text === undefined) throw damaged(what);
  return text;
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(what);
  }
}

/** Returns the JSON of a line, undefined if it is malformed, and the start of the next line. */
function line(bytes: Uint8Array, from: number): { readonly value: unknown; readonly end: number } {
  const end = bytes.subarray(from, from + lineBytes).indexOf(newline);
  const text = end < 0 ? undefined : decodeUtf8(bytes.subarray(from, from + end));
  try {
    return { value: JSON.parse(text ?? ""), end: from + end + 1 };
  } catch {
    return { value: undefined, end: from };
  }
}
