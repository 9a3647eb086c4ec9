// The names and forms of the files of a backup.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import type { Chunks } from "./archive.ts";

export const fileOf = {
  table: (database: number, table: string) => `databases/${database}/${table}.jsonl.gz`,
  object: (kind: "clusters" | "tenants", id: string) => `${kind}/${id}.jsonl.gz`,
  file: (key: string) => `files/${key}`,
  local: (name: string) => `local/${name}`,
} as const;

/** Returns the name below a folder of the backup; undefined if the file is elsewhere. */
export function nameBelow(folder: string, file: string): string | undefined {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : undefined;
}

export function gzipped(text: AsyncIterable<string>): Chunks {
  return Readable.from(text).compose(createGzip()) as AsyncIterable<Uint8Array>;
}

/** Reads the lines of a compressed file. */
export function linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const source = Readable.from(chunks);
  const plain = source.pipe(createGunzip());
  source.once("error", (error) => plain.destroy(error));
  return createInterface({ input: plain, crlfDelay: Number.POSITIVE_INFINITY });
}
