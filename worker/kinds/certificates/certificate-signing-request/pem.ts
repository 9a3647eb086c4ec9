// Blocks of PEM text, read as leniently as upstream's reader: what is not a whole block is passed over.

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

export function pemBlocks(text: string): PemBlock[] {
  const form = /(?:^|\n)-----BEGIN ([^\n-]*)-----[ \t\r]*\n([\s\S]*?)-----END \1-----[ \t\r]*(?=\n|$)/g;
  return [...text.matchAll(form)].flatMap(([, type = "", body = ""]) => {
    const lines = body.split("\n").map((line) => line.trim());
    const headers = lines.filter((line) => line.includes(":"));
    const bytes = bytesOf(lines.filter((line) => !line.includes(":")).join(""));
    return bytes ? [{ type, hasHeaders: headers.length > 0, bytes }] : [];
  });
}

/** The bytes of base64 text as text, one character for each byte. */
export function binaryOf(base64: string): string {
  return fromBase64(base64) ?? "";
}

function bytesOf(base64: string): Uint8Array | undefined {
  // With its padding: a block that was cut off is none.
  const binary = base64.length % 4 === 0 ? fromBase64(base64) : undefined;
  return binary === undefined ? undefined : Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

function fromBase64(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}
