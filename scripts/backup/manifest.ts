// The manifest of a backup: its files with their checksums. It is written last, so a backup without one is not complete.
import { createHash } from "node:crypto";
import * as z from "zod";
import type { Archive, Chunks } from "./archive.ts";

export const manifestFile = "manifest.json";
const version = 1;

const savedFile = z.object({ bytes: z.int(), sha256: z.string() });

export const manifestShape = z.object({
  version: z.literal(version, { error: "another version of Sandbar wrote the backup" }),
  createdAt: z.iso.datetime(),
  secrets: z.array(z.string()),
  /** The tables of each database in the order in which they are restored. */
  databases: z.array(z.array(z.string())),
  files: z.record(z.string(), savedFile),
  /** Sandboxes that ended while the backup was made: rows of D1 without an object. */
  ended: z.array(z.string()),
  /** Objects that could not be copied, as `clusters/<id>` or `tenants/<id>`. A restore leaves out their sandboxes. */
  missing: z.array(z.string()).default([]),
});

export type Manifest = z.output<typeof manifestShape>;
export type SavedFiles = Record<string, z.output<typeof savedFile>>;

/** Saves files in an archive and records their checksums. */
export class Recorder {
  readonly files: SavedFiles = {};
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async save(file: string, chunks: Chunks): Promise<void> {
    const hash = createHash("sha256");
    let bytes = 0;
    await this.#archive.save(
      file,
      (async function* () {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += chunk.byteLength;
          yield chunk;
        }
      })(),
    );
    this.files[file] = { bytes, sha256: hash.digest("hex") };
  }
}

export async function readManifest(archive: Archive): Promise<Manifest> {
  const bytes = await bytesOf(archive.read(manifestFile)).catch((error: unknown) => {
    throw new Error(`${archive.name} has no complete backup: ${manifestFile} cannot be read (${String(error)})`);
  });
  const parsed = manifestShape.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  if (!parsed.success) throw new Error(`${manifestFile}: ${parsed.error.issues[0]?.message ?? "is not valid"}`);
  return parsed.data;
}

/** Reads every file, and throws if one is missing or altered. */
export async function verify(archive: Archive, { files }: Manifest): Promise<void> {
  for (const [file, { bytes, sha256 }] of Object.entries(files)) {
    const hash = createHash("sha256");
    let read = 0;
    for await (const chunk of archive.read(file)) {
      hash.update(chunk);
      read += chunk.byteLength;
    }
    if (read !== bytes || hash.digest("hex") !== sha256)
      throw new Error(`${file} of the backup was altered: it has ${read} bytes, and the manifest ${bytes}`);
  }
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return new Uint8Array(Buffer.concat(pieces));
}
