// Chart archives: tar files compressed with gzip, read and written within bounds.
import { before, trimmed, trimmedEnd } from "../../../../../shared/base/trim.ts";
import { joinBytes, lettersOfBytes, textOfBytes } from "../../../../../shared/base/byte-text.ts";

/** The maximum size of an archive's content. */
export const maxArchiveBytes = 32 * 1024 * 1024;
/** The maximum size of one file: Helm's own limit. */
const maxFileBytes = 5 * 1024 * 1024;
const maxEntries = 5000;
const block = 512;

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class ArchiveTooLarge extends Error {
  override name = "ArchiveTooLarge";

  constructor() {
    super(`an archive of more than ${maxArchiveBytes / 1024 / 1024} MB cannot be held`);
  }
}

async function transformed(
  bytes: Uint8Array<ArrayBuffer>,
  transform: {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
  },
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = transform.writable.getWriter();
  // A failure shows when the result is read.
  const written = writer
    .write(bytes)
    .then(() => writer.close())
    .catch(() => undefined);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of transform.readable) {
    length += chunk.length;
    if (length > maxArchiveBytes) throw new ArchiveTooLarge();
    chunks.push(chunk);
  }
  await written;
  return joinBytes(chunks);
}

/** Throws Go's error if the bytes are not gzip, and ArchiveTooLarge if they unpack to too many. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 0x08) throw new Error("gzip: invalid header");
  try {
    return await transformed(bytes, new DecompressionStream("gzip"));
  } catch (error) {
    if (error instanceof ArchiveTooLarge) throw error;
    throw new Error(gzipProblem(error), { cause: error });
  }
}

/** Returns Go's words for an error of the platform's decompression, whose words differ between browsers. */
function gzipProblem(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error("");
  const text = `${message} ${cause instanceof Error ? cause.message : ""}`;
  if (/truncat|unexpected end/i.test(text)) return "unexpected EOF";
  if (/header/i.test(text)) return "gzip: invalid header";
  if (/check|crc|length/i.test(text)) return "gzip: invalid checksum";
  return "flate: corrupt input";
}

export function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return transformed(bytes, new CompressionStream("gzip"));
}

/** The types of entries that are no files: headers of extensions, and folders. */
const skippedTypes = "gx5";
/** The types of entries without content: links, devices and pipes. */
const emptyTypes = "12346";

/**
 * Returns the files of a tar archive. Links and devices are empty files, as for Helm, which follows none of them. Throws Go's errors if the
 * archive is malformed.
 */
export function readTar(bytes: Uint8Array<ArrayBuffer>): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + block <= bytes.length; ) {
    const header = bytes.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    if (!hasChecksum(header)) throw new Error("archive/tar: invalid tar header");
    const field = (start: number, length: number) =>
      before(lettersOfBytes(header.subarray(start, start + length)), "\0");
    const type = field(156, 1) || "0";
    const size = emptyTypes.includes(type) ? 0 : numberIn(header.subarray(124, 136));
    const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
    const short = before(textOfBytes(header.slice(0, 100)), "\0");
    const name = longName ?? (prefix ? `${prefix}/${short}` : short);
    const isFile = type !== "L" && !skippedTypes.includes(type) && !name.endsWith("/");
    if (isFile && size > maxFileBytes)
      throw new Error(
        `decompressed chart file ${JSON.stringify(name)} is larger than the maximum file size ${maxFileBytes}`,
      );
    if (at + block + size > bytes.length) throw new Error("unexpected EOF");
    const content = bytes.slice(at + block, at + block + size);
    if (type === "L") longName = trimmedEnd(textOfBytes(content), "\0");
    else if (type === "x") longName = /(?:^|\n)\d{1,9} path=([^\n]*)\n/.exec(textOfBytes(content))?.[1] ?? longName;
    else longName = undefined;
    if (isFile) entries.push({ name, bytes: content });
    if (entries.length > maxEntries) throw new Error(`an archive of more than ${maxEntries} files cannot be held`);
    at += block + Math.ceil(size / block) * block;
  }
  return entries;
}

/** Reads an octal number, or one in bytes, whose first bit is set. Throws Go's error for anything else. */
function numberIn(field: Uint8Array): number {
  const [first = 0, ...rest] = field;
  if (first & 0x80) return rest.reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
  const text = trimmed(before(lettersOfBytes(field), "\0"), " ");
  if (!/^[0-7]*$/.test(text)) throw new Error("archive/tar: invalid tar header");
  return Number.parseInt(text || "0", 8);
}

const checksumAt = 148;
const checksumBytes = 8;

/** Reports whether the header has its checksum: the sum of its bytes, where the checksum's own bytes count as blanks. */
function hasChecksum(header: Uint8Array): boolean {
  const text = lettersOfBytes(header.subarray(checksumAt, checksumAt + checksumBytes));
  const digits = trimmed(before(text, "\0"), " ");
  if (!/^[0-7]+$/.test(digits)) return false;
  let [unsigned, signed] = [0, 0];
  for (const [at, byte] of header.entries()) {
    const value = at >= checksumAt && at < checksumAt + checksumBytes ? 32 : byte;
    unsigned += value;
    signed += value > 127 ? value - 256 : value;
  }
  const sum = Number.parseInt(digits, 8);
  return sum === unsigned || sum === signed;
}

export function writeTar(entries: readonly ArchiveEntry[], seconds: number): Uint8Array<ArrayBuffer> {
  const chunks = entries.flatMap(({ name, bytes }) => [
    headerOf(name, bytes.length, seconds),
    bytes,
    new Uint8Array((block - (bytes.length % block)) % block),
  ]);
  return joinBytes([...chunks, new Uint8Array(2 * block)]);
}

function headerOf(name: string, size: number, seconds: number): Uint8Array {
  const header = new Uint8Array(block);
  const encoder = new TextEncoder();
  const put = (text: string, at: number) => header.set(encoder.encode(text), at);
  // A long path is divided at a slash into a prefix and a name.
  const split = name.length > 100 ? name.indexOf("/", name.length - 101) : -1;
  put(split < 0 ? name : name.slice(split + 1), 0);
  put("0000644\0" + "0000000\0" + "0000000\0", 100);
  put(`${size.toString(8).padStart(11, "0")}\0${seconds.toString(8).padStart(11, "0")}\0        0`, 124);
  put("ustar\x0000", 257);
  if (split > 0) put(name.slice(0, split), 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
