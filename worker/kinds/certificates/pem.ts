// Blocks of PEM text, read as leniently as upstream's reader: what is not a whole block is passed over.

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

export function pemBlocks(text: string): PemBlock[] {
  const ends = endsOf(text);
  const begin = /(?:^|\n)-----BEGIN ([^\n-]*)-----[ \t\r]*\n/g;
  const blocks: PemBlock[] = [];
  for (let found; (found = begin.exec(text)); ) {
    const [whole, type = ""] = found;
    const from = found.index + whole.length;
    const own = ends.get(type) ?? [];
    while (own.length > 0 && (own.at(-1)?.at ?? 0) < from) own.pop();
    const end = own.at(-1);
    // The line's end may begin what comes next.
    begin.lastIndex = end?.after ?? from - 1;
    if (!end) continue;
    const lines = text
      .slice(from, end.at)
      .split("\n")
      .map((line) => line.trim());
    const headers = lines.filter((line) => line.includes(":"));
    const bytes = bytesOf(lines.filter((line) => !line.includes(":")).join(""));
    if (bytes) blocks.push({ type, hasHeaders: headers.length > 0, bytes });
  }
  return blocks;
}

interface End {
  readonly at: number;
  readonly after: number;
}

/** Where blocks may end, by their type; the last comes first. */
function endsOf(text: string): Map<string, End[]> {
  const ends = new Map<string, End[]>();
  for (const found of text.matchAll(/-----END ([^\n-]*)-----[ \t\r]*(?=\n|$)/g)) {
    const [whole, type = ""] = found;
    const known = ends.get(type) ?? [];
    known.push({ at: found.index, after: found.index + whole.length });
    ends.set(type, known);
  }
  for (const known of ends.values()) known.reverse();
  return ends;
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
