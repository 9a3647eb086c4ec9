// Chart archives: tar files compressed with gzip, read and written within bounds.
import { before, trimmedEnd } from "../../../../../shared/base/trim.ts";
import { joinBytes, lettersOfBytes, textOfBytes } from "../../../../../shared/base/byte-text.ts";

/** The maximum size of an archive's content. */
export const maxArchiveBytes = 32 * 1024 * 1024;
const maxEntries = 5000;
const block = 512;

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function archiveTooLarge(): Error {
  return new Error(`an archive of more than ${maxArchiveBytes / 1024 / 1024} MB cannot be held`);
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
    if (length > maxArchiveBytes) throw archiveTooLarge();
    chunks.push(chunk);
  }
  await written;
  return joinBytes(chunks);
}

/** Throws if the bytes are not gzip, or too many. */
export function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return transformed(bytes, new DecompressionStream("gzip"));
}

export function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return transformed(bytes, new CompressionStream("gzip"));
}

/** Returns the regular files of a tar archive. Throws if it is malformed. */
export function readTar(bytes: Uint8Array<ArrayBuffer>): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + block <= bytes.length; ) {
    const header = bytes.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const field = (start: number, length: number) =>
      before(lettersOfBytes(header.subarray(start, start + length)), "\0");
    const size = Number.parseInt(field(124, 12).trim() || "0", 8);
    if (!Number.isInteger(size) || size < 0 || at + block + size > bytes.length) throw new Error("unexpected EOF");
    const content = bytes.slice(at + block, at + block + size);
    const type = field(156, 1) || "0";
    const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
    if (type === "L") longName = trimmedEnd(textOfBytes(content), "\0");
    else if (type === "x") longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(textOfBytes(content))?.[1] ?? longName;
    else {
      const short = before(textOfBytes(header.slice(0, 100)), "\0");
      const name = longName ?? (prefix ? `${prefix}/${short}` : short);
      longName = undefined;
      if (type === "0") entries.push({ name, bytes: content });
      if (entries.length > maxEntries) throw new Error(`an archive of more than ${maxEntries} files cannot be held`);
    }
    at += block + Math.ceil(size / block) * block;
  }
  return entries;
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
