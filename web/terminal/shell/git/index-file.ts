// The index of a repository in git's format, version 2. Times and sizes are left out: files are compared by their content.
import { lettersOfBytes } from "../../../../shared/base/byte-text.ts";
import { bytesOf } from "./file-system.ts";

export interface IndexEntry {
  readonly path: string;
  readonly oid: string;
  readonly mode: number;
  /** 0, or for an unmerged path 1 for the base, 2 for ours and 3 for theirs. */
  readonly stage: number;
}

const headBytes = 12;
/** The bytes of an entry before its path, and the places of its fields. */
const entryBytes = 62;
const modeAt = 24;
const oidAt = 40;
const flagsAt = 60;
const oidBytes = 20;
const longestName = 0xfff;

function paddedLength(nameBytes: number): number {
  return Math.floor((entryBytes + nameBytes + 8) / 8) * 8;
}

/** Returns the entries of a stored index. An unreadable one has none, and a truncated one those that are complete. */
export function readIndex(text: string | undefined): IndexEntry[] {
  const bytes = bytesOf(text ?? "");
  if (bytes.length < headBytes || text?.startsWith("DIRC") !== true) return [];
  const view = new DataView(bytes.buffer);
  const entries: IndexEntry[] = [];
  let at = headBytes;
  for (let left = view.getUint32(8); left > 0 && at + entryBytes < bytes.length; left--) {
    const end = bytes.indexOf(0, at + entryBytes);
    if (end < 0) break;
    const oid = [...bytes.subarray(at + oidAt, at + oidAt + oidBytes)].map((byte) =>
      byte.toString(16).padStart(2, "0"),
    );
    entries.push({
      path: new TextDecoder().decode(bytes.subarray(at + entryBytes, end)),
      oid: oid.join(""),
      mode: view.getUint32(at + modeAt),
      stage: (view.getUint16(at + flagsAt) >> 12) & 3,
    });
    at += paddedLength(end - at - entryBytes);
  }
  return entries;
}

export async function writeIndex(entries: Iterable<IndexEntry>): Promise<string> {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.stage - b.stage));
  const names = sorted.map(({ path }) => new TextEncoder().encode(path));
  const bytes = new Uint8Array(names.reduce((sum, name) => sum + paddedLength(name.length), headBytes));
  const view = new DataView(bytes.buffer);
  bytes.set(bytesOf("DIRC"));
  view.setUint32(4, 2);
  view.setUint32(8, sorted.length);
  let at = headBytes;
  for (const [index, { oid, mode, stage }] of sorted.entries()) {
    const name = names[index] ?? new Uint8Array();
    view.setUint32(at + modeAt, mode);
    for (let byte = 0; byte < oidBytes; byte++)
      bytes[at + oidAt + byte] = Number.parseInt(oid.slice(byte * 2, byte * 2 + 2), 16);
    view.setUint16(at + flagsAt, (stage << 12) | Math.min(name.length, longestName));
    bytes.set(name, at + entryBytes);
    at += paddedLength(name.length);
  }
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes));
  return lettersOfBytes(bytes) + lettersOfBytes(sum);
}
