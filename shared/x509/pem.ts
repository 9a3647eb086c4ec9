// Blocks of PEM text, read as leniently as Go's `encoding/pem`: what is not a whole block is passed over.
import { base64Of, tryBytesOfBase64 } from "../base/base64.ts";
import { decodeUtf8Leniently } from "../base/utf8.ts";

const dashes = "-----";
const begin = "-----BEGIN ";
const end = "-----END ";

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { type: string; lines: string[] } | undefined;
  for (const rawLine of text.split("\n")) {
    const line = rawLine.trim();
    if (rawLine.startsWith(begin) && line.endsWith(dashes)) {
      open = { type: line.slice(begin.length, -dashes.length), lines: [] };
    } else if (!rawLine.startsWith(end)) open?.lines.push(line);
    else {
      if (open && line === `${end}${open.type}${dashes}`) blocks.push(...blockOf(open.type, open.lines));
      open = undefined;
    }
  }
  return blocks;
}

function blockOf(type: string, lines: readonly string[]): PemBlock[] {
  // Base64 has no colon, so a line with one is a header wherever it stands.
  const headers = lines.filter((line) => line.includes(":"));
  const base64 = lines.filter((line) => !line.includes(":")).join("");
  // A block whose base64 lacks its padding was cut off, and is skipped.
  const bytes = base64.length % 4 === 0 ? tryBytesOfBase64(base64) : undefined;
  return bytes ? [{ type, hasHeaders: headers.length > 0, bytes }] : [];
}

/** Returns the blocks of a PEM text that is encoded in base64, as fields of the API are. */
export function pemBlocksOfBase64(base64: string): PemBlock[] {
  const bytes = tryBytesOfBase64(base64);
  return bytes ? pemBlocks(decodeUtf8Leniently(bytes)) : [];
}

export function pemText(type: string, bytes: Uint8Array): string {
  const lines = base64Of(bytes).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}
