// As much of DER as certificates and their requests need: values with their tags, nested, read and written.

export interface DerValue {
  readonly tag: number;
  readonly bytes: Uint8Array;
  /** With its tag and length. */
  readonly whole: Uint8Array;
  /** The values inside, if it is a constructed one. */
  readonly parts: readonly DerValue[];
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  printable: 0x13,
  utcTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  attributes: 0xa0,
} as const;

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
    values.push({ tag: head.tag, bytes: content, whole: bytes.subarray(at, head.end), parts });
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

/** A value of these parts, one after the other. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...lengthBytes(length)];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let at = head.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function derOid(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return der(tags.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** A whole number that is not negative, from its bytes. */
export function derInteger(bytes: Uint8Array): Uint8Array {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = from < 0 ? Uint8Array.of(0) : bytes.subarray(from);
  return (digits[0] ?? 0) & 0x80 ? der(tags.integer, Uint8Array.of(0), digits) : der(tags.integer, digits);
}

/** Text as ASN.1's PrintableString where it can be one, as UTF8String otherwise. */
export function derText(text: string): Uint8Array {
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text);
  return der(isPrintable ? tags.printable : tags.utf8, new TextEncoder().encode(text));
}

/** A time, to the second: two digits of the year until 2049, four from then on. */
export function derTime(ms: number): Uint8Array {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  const isShort = Number(text.slice(0, 4)) < 2050;
  return der(isShort ? tags.utcTime : tags.time, new TextEncoder().encode(isShort ? text.slice(2) : text));
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}
