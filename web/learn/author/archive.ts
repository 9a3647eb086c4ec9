// A lesson's folder as one file: reads ZIP, TAR and compressed TAR files, and writes ZIP files.
import { limits } from "../../../shared/base/limits.ts";
import { inflated } from "./inflate.ts";

/** The bytes of an archive, and those of its texts together: UTF-8 has up to four for a character. */
export const archiveBounds = {
  bytes: 4 * 1024 * 1024,
  textBytes: 4 * limits.lessonCharacters,
  files: limits.lessonFiles,
};

/** The reason why a file is no archive of a lesson, as a sentence for its author. */
export class ArchiveProblem extends Error {
  override name = "ArchiveProblem";
}

interface Entry {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads the texts of an archive by path. A single folder that contains everything is left out of the paths. */
export async function readArchive(bytes: Uint8Array<ArrayBuffer>): Promise<Map<string, string>> {
  if (bytes.length > archiveBounds.bytes) throw new ArchiveProblem("the archive is larger than 4 MB");
  const entries = (await entriesOf(bytes)).filter(({ path }) => !isHidden(path));
  if (entries.length > archiveBounds.files) throw tooMany();
  const top = commonFolder(entries.map(({ path }) => path));
  return new Map(entries.map(({ path, bytes: content }) => [path.slice(top.length), textOf(path, content)]));
}

/** Writes a ZIP file, whose texts are stored without compression. */
export function writeZip(files: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const [path, text] of files) {
    const [name, content] = [encoder.encode(path), encoder.encode(text)];
    const facts = [crcOf(content), content.length, content.length];
    // Version 2.0, names in UTF-8, stored, 1 January 1980.
    const local = record(0x04034b50, [20, 0x0800, 0, 0, 0x21], facts, [name.length, 0]);
    const central = record(0x02014b50, [20, 20, 0x0800, 0, 0, 0x21], facts, [name.length, 0, 0, 0, 0]);
    directory.push(joined([central, numbers([0, offset]), name]));
    chunks.push(local, name, content);
    offset += local.length + name.length + content.length;
  }
  const central = joined(directory);
  const end = record(0x06054b50, [0, 0, files.size, files.size], [central.length, offset], [0]);
  return joined([...chunks, central, end]);
}

async function entriesOf(bytes: Uint8Array<ArrayBuffer>): Promise<readonly Entry[]> {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return zipEntries(bytes);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return tarEntries(await unpacked(bytes, "gzip"));
  return tarEntries(bytes);
}

async function zipEntries(bytes: Uint8Array<ArrayBuffer>): Promise<readonly Entry[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries: Entry[] = [];
  let left = archiveBounds.textBytes;
  try {
    let at = endOf(view);
    const count = view.getUint16(at + 10, true);
    if (count > 2 * archiveBounds.files) throw tooMany();
    at = view.getUint32(at + 16, true);
    for (let read = 0; read < count; read++) {
      const method = view.getUint16(at + 10, true);
      const size = view.getUint32(at + 20, true);
      const [nameLength, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
      const path = decoded(bytes.subarray(at + 46, at + 46 + (nameLength ?? 0)));
      const header = view.getUint32(at + 42, true);
      const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
      at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
      if (path.endsWith("/")) continue;
      const content = bytes.subarray(start, start + size);
      const file = method === 0 ? content : method === 8 ? await unpacked(content, "deflate-raw", left) : undefined;
      if (!file) throw new ArchiveProblem(`${path} is compressed in a way that is not known here`);
      left -= file.length;
      entries.push({ path: checked(path), bytes: file });
      if (left < 0) throw tooLarge();
    }
  } catch (error) {
    if (error instanceof RangeError) throw broken();
    throw error;
  }
  return entries;
}

/** Finds the end of the central directory, after which only a comment of up to 64 KiB follows. */
function endOf(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 66_000); at--)
    if (view.getUint32(at, true) === 0x06054b50) return at;
  throw broken();
}

function tarEntries(bytes: Uint8Array<ArrayBuffer>): readonly Entry[] {
  const entries: Entry[] = [];
  let left = archiveBounds.textBytes;
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const field = (from: number, length: number) =>
      decoded(bytes.subarray(at + from, at + from + length)).split("\0")[0] ?? "";
    if (!field(257, 5).startsWith("ustar")) throw broken();
    const size = Number.parseInt(field(124, 12).trim() || "0", 8);
    if (!Number.isSafeInteger(size) || size < 0 || at + 512 + size > bytes.length) throw broken();
    const [name, prefix, type] = [field(0, 100), field(345, 155), field(156, 1)];
    if (type === "" || type === "0") {
      left -= size;
      if (left < 0) throw tooLarge();
      if (entries.length >= 2 * archiveBounds.files) throw tooMany();
      const path = checked(prefix === "" ? name : `${prefix}/${name}`);
      entries.push({ path, bytes: bytes.slice(at + 512, at + 512 + size) });
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  if (entries.length === 0) throw broken();
  return entries;
}

async function unpacked(
  bytes: Uint8Array<ArrayBuffer>,
  format: "gzip" | "deflate-raw",
  most: number = archiveBounds.bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const outcome = await inflated(bytes, format, most);
  if (outcome === "too large") throw tooLarge();
  if (outcome === "broken") throw broken();
  return outcome;
}

/** Returns a path without `./` at its beginning. Throws for a path that leaves the folder. */
function checked(path: string): string {
  const plain = path.replace(/^(\.\/)+/, "");
  if (plain === "" || plain.startsWith("/") || plain.split("/").includes("..") || plain.includes("\\"))
    throw new ArchiveProblem(`${JSON.stringify(path)} is no path within the folder`);
  return plain;
}

/** Hidden files do not belong to the lesson, nor does what macOS adds. */
function isHidden(path: string): boolean {
  return path.split("/").some((segment) => segment.startsWith(".") || segment === "__MACOSX");
}

function commonFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  const folder = first.slice(0, first.indexOf("/") + 1);
  return folder !== "" && paths.every((path) => path.startsWith(folder)) ? folder : "";
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ArchiveProblem(`${path} is no text`);
  }
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Encodes a record: its signature, 16-bit numbers, 32-bit numbers, and 16-bit numbers. */
function record(signature: number, head: readonly number[], facts: readonly number[], tail: readonly number[]) {
  return joined([numbers([signature]), shorts(head), numbers(facts), shorts(tail)]);
}

function numbers(values: readonly number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  for (const [at, value] of values.entries()) view.setUint32(4 * at, value >>> 0, true);
  return new Uint8Array(view.buffer);
}

function shorts(values: readonly number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(2 * values.length));
  for (const [at, value] of values.entries()) view.setUint16(2 * at, value, true);
  return new Uint8Array(view.buffer);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** CRC-32 as ZIP has it. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function broken(): ArchiveProblem {
  return new ArchiveProblem("the file is no ZIP, TAR or compressed TAR file, or it is damaged");
}

function tooLarge(): ArchiveProblem {
  return new ArchiveProblem("the files of the archive are larger than a lesson may be");
}

function tooMany(): ArchiveProblem {
  return new ArchiveProblem(`the archive has more than ${archiveBounds.files} files`);
}
