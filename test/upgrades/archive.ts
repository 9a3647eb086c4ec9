// The format of a fixture: files of a data folder and a record of its contents, in one compressed file.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** The sandboxes and other resources that a fixture contains. */
export interface FixtureRecord {
  readonly commit: string;
  /** When the data folder was closed. */
  readonly madeAtMs: number;
  readonly apiKey: string;
  readonly secret: string;
  readonly sandboxes: Readonly<Record<string, SandboxRecord>>;
  /** The snapshots by name; empty if the version has none. */
  readonly snapshots: Readonly<Record<string, string>>;
  /** Steps of the filling that the version does not support. */
  readonly unsupported: readonly string[];
}

export interface SandboxRecord {
  readonly id: string;
  readonly token: string;
  /** The hexadecimal id of the Durable Object: the name of its file. */
  readonly objectId: string;
  /** The uids of objects that no controller replaces, by `resource/namespace/name`. */
  readonly uids: Readonly<Record<string, string>>;
}

interface Archive {
  readonly record: FixtureRecord;
  /** Bytes by path, relative to the data folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export function pack(record: FixtureRecord, folder: string, paths: readonly string[]): Buffer {
  const files = paths.map((path) => ({ path, bytes: readFileSync(join(folder, path)) }));
  const head = JSON.stringify({ record, files: files.map(({ path, bytes }) => ({ path, length: bytes.length })) });
  const all = Buffer.concat([Buffer.from(`${head}\n`), ...files.map(({ bytes }) => bytes)]);
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: all.length,
  };
  return brotliCompressSync(all, { params });
}

export function unpack(packed: Uint8Array): Archive {
  const all = brotliDecompressSync(packed);
  const end = all.indexOf("\n");
  // `pack` wrote it.
  const head = JSON.parse(all.subarray(0, end).toString()) as {
    record: FixtureRecord;
    files: { path: string; length: number }[];
  };
  const files = new Map<string, Uint8Array>();
  let at = end + 1;
  for (const { path, length } of head.files) {
    files.set(path, all.subarray(at, at + length));
    at += length;
  }
  return { record: head.record, files };
}

/** Returns the paths of all files below a folder, relative to it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => relative(folder, path))
    .sort();
}
