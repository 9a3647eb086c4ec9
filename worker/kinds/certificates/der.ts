// As much of DER as certificate requests need: values with their tags, nested.

export interface DerValue {
  readonly tag: number;
  readonly bytes: Uint8Array;
  /** The values inside, if it is a constructed one. */
  readonly parts: readonly DerValue[];
}

export const tags = { integer: 0x02, bitString: 0x03, oid: 0x06, sequence: 0x30, set: 0x31, attributes: 0xa0 } as const;

/** Nested values are few in any request that is not made to harm. */
const maxDepth = 16;

/** The values that follow one another in `bytes`; undefined if they are malformed. */
export function readDer(bytes: Uint8Array, depth = 0): DerValue[] | undefined {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = readHead(bytes, at);
    if (!head || depth > maxDepth) return undefined;
    const content = bytes.subarray(head.start, head.end);
    const parts = head.tag & 0x20 ? readDer(content, depth + 1) : [];
    if (!parts) return undefined;
    values.push({ tag: head.tag, bytes: content, parts });
    at = head.end;
  }
  return values;
}

/** An object identifier in dots: `2.5.4.10`. */
export function oidText(bytes: Uint8Array): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    numbers.push(value);
    value = 0;
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join(".");
}

function readHead(bytes: Uint8Array, at: number): { tag: number; start: number; end: number } | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) return undefined;
  let start = at + 2;
  let length = first;
  if (first & 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) return undefined;
    length = bytes.subarray(start, start + count).reduce((sum, byte) => sum * 256 + byte, 0);
    start += count;
  }
  const end = start + length;
  return end > bytes.length ? undefined : { tag, start, end };
}
