// Writes the state of a cluster as a file. Objects are added one by one, and the file is returned at the end.
import { joinBytes } from "../base/byte-text.ts";
import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { assert } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import { encodeUtf8, utf8Length } from "../base/utf8.ts";
import {
  compareKeys,
  type StateEntry,
  StateFileError,
  stateFormat,
  type StateHeader,
  type StateKey,
  type StateLead,
  type StateMeta,
  type StatePart,
  stateVersion,
} from "./format.ts";
import { Holes } from "./holes.ts";
import type { WrittenIndex, WrittenRow } from "./state-index.ts";

/** An object with its text, which is JSON as `JSON.stringify` writes it. */
export type StateObject = Omit<StateEntry, "characters"> & { readonly text: string };

export interface WrittenState {
  readonly revision: number;
  readonly madeMs: number;
  readonly meta: StateMeta;
}

export class StateWriter {
  readonly #holes: Holes;
  readonly #mostBytes: number;
  readonly #resources: [string, WrittenRow[]][] = [];
  readonly #blocks: [number, number, number][] = [];
  readonly #packed: Uint8Array[] = [];
  /** Texts of the current block, and their bytes. */
  #texts: string[] = [];
  #bytes = 0;
  #last: StateKey | undefined;
  #characters = 0;
  #objects = 0;
  #size = 0;

  /** Starts a file. Past `mostBytes` of the file, `StateFileError` is thrown. The certificates are those of the objects' cluster. */
  constructor(certificates: StateMeta["certificates"], mostBytes: number = limits.stateFileBytes) {
    this.#holes = new Holes(certificates);
    this.#mostBytes = mostBytes;
  }

  /** Adds an object. Objects must be added in the order of their keys. */
  add(object: StateObject): void {
    const { resource, namespace, name, revision, owners, indexValue } = object;
    assert(!this.#last || compareKeys(this.#last, object) < 0, `${resource}/${namespace}/${name} comes in its order`);
    this.#last = { resource, namespace, name };
    const { text, holes } = this.#holes.cut(object.text);
    const more = {
      ...(owners.length > 0 ? { owners } : {}),
      ...(indexValue !== "" ? { indexValue } : {}),
      ...(holes !== "" ? { holes } : {}),
    };
    const row: WrittenRow =
      Object.keys(more).length > 0
        ? [namespace, name, revision, text.length, more]
        : [namespace, name, revision, text.length];
    const list = this.#resources.at(-1);
    if (list?.[0] === resource) list[1].push(row);
    else this.#resources.push([resource, [row]]);
    this.#objects += 1;
    this.#characters += object.text.length;
    this.#texts.push(text);
    this.#bytes += utf8Length(text);
    if (this.#bytes >= limits.stateBlockBytes) this.#endBlock();
  }

  /** Returns the file. No more objects can be added. */
  finish({ revision, madeMs, meta }: WrittenState): Uint8Array<ArrayBuffer> {
    this.#endBlock();
    const indexed: WrittenIndex = { resources: this.#resources, blocks: this.#blocks };
    const index = packed(JSON.stringify(indexed), limits.stateIndexBytes);
    const beside = packed(JSON.stringify(meta), limits.stateMetaBytes);
    const header: StateHeader = {
      revision,
      madeMs,
      objects: this.#objects,
      bytes: this.#characters,
      index: index.lengths,
      meta: beside.lengths,
    };
    const fileChunks = [encodeUtf8(`${JSON.stringify(header)}\n`), index.bytes, beside.bytes, ...this.#packed];
    const hash = createHash("sha256");
    for (const chunk of fileChunks) hash.update(chunk);
    const size = fileChunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.#check(size);
    return joinBytes([
      leadLine({ format: stateFormat, version: stateVersion, size, digest: hash.digest("hex") }),
      ...fileChunks,
    ]);
  }

  #endBlock(): void {
    if (this.#texts.length === 0) return;
    const bytes = encodeUtf8(this.#texts.join(""));
    const block = deflateRawSync(bytes);
    this.#blocks.push([this.#texts.length, bytes.length, block.length]);
    this.#packed.push(block);
    this.#size += block.length;
    this.#check(this.#size);
    this.#texts = [];
    this.#bytes = 0;
  }

  #check(size: number): void {
    if (size > this.#mostBytes) throw tooLarge(this.#mostBytes);
  }
}

/** Writes a state whose objects are all available, in any order. */
export function writeStateFile(objects: Iterable<StateObject>, state: WrittenState): Uint8Array<ArrayBuffer> {
  const writer = new StateWriter(state.meta.certificates);
  for (const object of [...objects].sort(compareKeys)) writer.add(object);
  return writer.finish(state);
}

/** Returns the file with a service's signature of its digest, which replaces an existing one. */
export function withSignature(file: Uint8Array, lead: StateLead, signature: string): Uint8Array<ArrayBuffer> {
  const rest = file.subarray(file.length - lead.size);
  return joinBytes([leadLine({ ...lead, signature }), rest]);
}

function leadLine(lead: StateLead): Uint8Array {
  return encodeUtf8(`${JSON.stringify(lead)}\n`);
}

function packed(text: string, most: number): { readonly bytes: Uint8Array; readonly lengths: StatePart } {
  const bytes = encodeUtf8(text);
  if (bytes.length > most) throw tooLarge(most);
  const deflated = deflateRawSync(bytes);
  return { bytes: deflated, lengths: { bytes: bytes.length, packed: deflated.length } };
}

function tooLarge(most: number): StateFileError {
  return new StateFileError("too_large", `The state is too large to be written as a file: more than ${most} bytes.`);
}
