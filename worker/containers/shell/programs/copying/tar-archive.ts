// The bytes of a tar archive (POSIX ustar, with GNU's and POSIX's long names). Pure.
import { joinBytes } from "../../../../../shared/base/byte-text.ts";
import { trimmedEnd } from "../../../../../shared/base/trim.ts";

export interface Member {
  /** The name without a slash at its end. */
  readonly name: string;
  readonly mode: number;
  readonly changedMs: number;
  /** Undefined for a folder. */
  readonly bytes: Uint8Array | undefined;
}

const block = 512;
/** The number of blocks in a record. Archives are written in whole records. */
const recordBlocks = 20;
const shortName = 100;
const types = { file: "0", folder: "5", longName: "L", extended: "x" } as const;

export function writeArchive(members: readonly Member[]): Uint8Array {
  const chunks = members.flatMap(({ name, mode, changedMs, bytes }) => {
    const headerName = bytes === undefined ? `${name}/` : name;
    const type = bytes === undefined ? types.folder : types.file;
    const head = { mode, changedMs, type, size: bytes?.length ?? 0 };
    return [...longName(headerName), header({ ...head, name: headerName }), ...(bytes ? [padded(bytes)] : [])];
  });
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0) + 2 * block;
  const record = block * recordBlocks;
  return joinBytes(chunks, Math.ceil(length / record) * record);
}

/** Parses an archive. Returns undefined if the bytes are not an archive. `pays` is called for each member before it is read. */
export function readArchive(bytes: Uint8Array, pays: () => void = () => undefined): Member[] | undefined {
  const members: Member[] = [];
  let long: string | undefined;
  for (let at = 0; at + block <= bytes.length; ) {
    pays();
    const head = bytes.subarray(at, at + block);
    if (head.every((byte) => byte === 0)) break;
    if (!hasSum(head)) return undefined;
    const size = octal(head, 124, 12);
    if (!(size >= 0)) return undefined;
    const content = bytes.slice(at + block, at + block + size);
    if (content.length < size) return undefined;
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(head[156] ?? 0);
    if (type === types.longName) long = textAt(content, 0, size);
    else if (type === types.extended) long = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(textAt(content, 0, size))?.[1] ?? long;
    else {
      const name = trimmedEnd(long ?? nameIn(head), "/");
      const isFile = type === types.file || type === "\0";
      if (isFile || type === types.folder)
        members.push({ name, ...attributesIn(head), bytes: isFile ? content : undefined });
      long = undefined;
    }
  }
  return members;
}

function attributesIn(head: Uint8Array): Pick<Member, "mode" | "changedMs"> {
  return { mode: octal(head, 100, 8) & 0o7777, changedMs: octal(head, 136, 12) * 1000 };
}

function nameIn(head: Uint8Array): string {
  const prefix = textAt(head, 257, 5) === "ustar" ? textAt(head, 345, 155) : "";
  return (prefix === "" ? "" : `${prefix}/`) + textAt(head, 0, shortName);
}

/** Returns the member that precedes one whose name is too long for its header. */
function longName(name: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(`${name}\0`);
  if (bytes.length <= shortName) return [];
  const head = { name: "././@LongLink", mode: 0, changedMs: 0, type: types.longName, size: bytes.length };
  return [header(head), padded(bytes)];
}

interface Head {
  readonly name: string;
  readonly mode: number;
  readonly changedMs: number;
  readonly type: string;
  readonly size: number;
}

function header({ name, mode, changedMs, type, size }: Head): Uint8Array {
  const head = new Uint8Array(block);
  const put = (at: number, text: string, length: number) =>
    head.set(new TextEncoder().encode(text).subarray(0, length), at);
  const number = (at: number, value: number, length: number) =>
    put(at, value.toString(8).padStart(length - 1, "0"), length);
  put(0, name, shortName);
  number(100, mode, 8);
  number(108, 0, 8);
  number(116, 0, 8);
  number(124, size, 12);
  number(136, Math.floor(changedMs / 1000), 12);
  put(156, type, 1);
  put(257, "ustar  \0", 8);
  put(265, "root", 32);
  put(297, "root", 32);
  put(148, `${sumOf(head).toString(8).padStart(6, "0")}\0 `, 8);
  return head;
}

function hasSum(head: Uint8Array): boolean {
  return octal(head, 148, 8) === sumOf(head);
}

/** Returns the checksum of a header, with its own field counted as blanks. */
function sumOf(head: Uint8Array): number {
  return head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

function octal(head: Uint8Array, at: number, length: number): number {
  return Number.parseInt(textAt(head, at, length).trim() || "0", 8);
}

const decoder = new TextDecoder();

function textAt(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

function padded(bytes: Uint8Array): Uint8Array {
  const paddedBytes = new Uint8Array(Math.ceil(bytes.length / block) * block);
  paddedBytes.set(bytes);
  return paddedBytes;
}
