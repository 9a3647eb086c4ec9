// The place of backups: a folder, or a prefix of a bucket with the API of S3 (R2, S3, MinIO).
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type BucketSettings, openBucket } from "./bucket.ts";

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface Archive {
  /** The name of the place for people. */
  readonly name: string;
  /** Reports whether nothing is stored. */
  isEmpty(): Promise<boolean>;
  /** Stores a file. If this is interrupted, the file does not exist. */
  save(file: string, chunks: Chunks): Promise<void>;
  read(file: string): AsyncIterable<Uint8Array>;
}

/** Opens a folder, or `s3://bucket/prefix`. Throws if the settings of a bucket are missing. */
export function openArchive(place: string, settings: BucketSettings): Archive {
  return place.startsWith("s3://") ? bucketArchive(place, settings) : folderArchive(resolve(place));
}

function folderArchive(folder: string): Archive {
  const pathOf = (file: string) => {
    const path = resolve(folder, file);
    if (!path.startsWith(folder + sep)) throw new Error(`${file} is not a file of a backup`);
    return path;
  };
  return {
    name: folder,
    isEmpty: async () => !existsSync(folder) || readdirSync(folder).length === 0,
    save: async (file, chunks) => {
      const path = pathOf(file);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(Readable.from(chunks), createWriteStream(`${path}.next`, { mode: 0o600, flush: true }));
      renameSync(`${path}.next`, path);
    },
    read: (file) => createReadStream(pathOf(file)),
  };
}

/** A bucket needs the length of a file before its content, so a file is written to the disk first. */
function bucketArchive(place: string, settings: BucketSettings): Archive {
  const [bucketName = "", ...rest] = place.slice("s3://".length).split("/");
  const prefix = rest.filter(Boolean).join("/");
  const keyOf = (file: string) => (prefix ? `${prefix}/${file}` : file);
  const bucket = openBucket(bucketName, settings);
  return {
    name: place,
    isEmpty: async () => !(await bucket.hasAny(keyOf(""))),
    save: async (file, chunks) => {
      const folder = mkdtempSync(join(tmpdir(), "sandbar-backup-"));
      const path = join(folder, "file");
      try {
        await pipeline(Readable.from(chunks), createWriteStream(path, { mode: 0o600 }));
        await bucket.put(keyOf(file), path, (await stat(path)).size);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    read: (file) => bucket.get(keyOf(file)),
  };
}
