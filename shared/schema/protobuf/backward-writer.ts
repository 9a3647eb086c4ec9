// A writer of protobuf's wire format from the end to the beginning. The content of a message is complete before its length is written in
// front of it, so that nothing is measured first or moved afterwards.

/** Globals that every runtime has and the language's types do not declare. */
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array;
  encodeInto(text: string, bytes: Uint8Array): { readonly read: number; readonly written: number };
};

const encoder = new TextEncoder();
const firstBytes = 16 * 1024;
/** A buffer that has grown past this size is not reused for the next message. */
const keptBytes = 1024 * 1024;
/** Texts up to this length are copied character by character, which costs no more than a call of the platform. */
const shortText = 48;
const wireTypes = { varint: 0, bit64: 1, delimited: 2, bit32: 5 } as const;

export function tagOf(field: number, type: keyof typeof wireTypes): number {
  return field * 8 + wireTypes[type];
}

export class BackwardWriter {
  #bytes = new Uint8Array(firstBytes);
  #view = new DataView(this.#bytes.buffer);
  /** The start of the written bytes in the buffer. */
  #at = firstBytes;

  /** The number of written bytes. The difference of two values measures what was written in between. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns a copy of the written bytes, and clears the writer. */
  finish(): Uint8Array<ArrayBuffer> {
    const written = this.#bytes.slice(this.#at);
    this.clear();
    return written;
  }

  /** Returns a copy of the bytes that were written since `length` was `before`. */
  copySince(before: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(this.#at, this.#bytes.length - before);
  }

  clear(): void {
    if (this.#bytes.length > keptBytes) {
      this.#bytes = new Uint8Array(firstBytes);
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#at = this.#bytes.length;
  }

  raw(bytes: Uint8Array): void {
    this.#make(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  byte(value: number): void {
    this.#make(1);
    this.#bytes[--this.#at] = value;
  }

  /** Writes a non-negative integer up to 2^53. */
  varint(value: number): void {
    this.#make(8);
    const bytes = this.#bytes;
    if (value < 0x80) {
      bytes[--this.#at] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    const last = this.#at - 1;
    this.#at -= size;
    let rest = value;
    for (let at = this.#at; at < last; at++) {
      bytes[at] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    bytes[last] = rest;
  }

  /** Writes a 64-bit integer; negative ones take ten bytes. */
  int64(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      this.varint(value);
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) + 0x80);
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  double(value: number): void {
    this.#make(8);
    this.#at -= 8;
    this.#view.setFloat64(this.#at, value, true);
  }

  float(value: number): void {
    this.#make(4);
    this.#at -= 4;
    this.#view.setFloat32(this.#at, value, true);
  }

  /** Writes a text field with its length and tag. */
  text(tag: number, value: string): void {
    const before = this.length;
    this.#characters(value);
    this.end(tag, before);
  }

  /** Writes length and tag before the bytes that were written since `length` was `before`. */
  end(tag: number, before: number): void {
    this.varint(this.length - before);
    this.varint(tag);
  }

  #characters(value: string): void {
    const { length } = value;
    this.#make(length);
    const start = this.#at - length;
    if (length > shortText) {
      const { read, written } = encoder.encodeInto(value, this.#bytes.subarray(start, this.#at));
      // The text fits exactly if each character is one byte.
      if (read === length && written === length) this.#at = start;
      else this.raw(encoder.encode(value));
      return;
    }
    const bytes = this.#bytes;
    for (let at = 0; at < length; at++) {
      const unit = value.charCodeAt(at);
      if (unit >= 0x80) {
        this.raw(encoder.encode(value));
        return;
      }
      bytes[start + at] = unit;
    }
    this.#at = start;
  }

  /** Makes room for more bytes. */
  #make(bytes: number): void {
    if (bytes <= this.#at) return;
    const { length } = this;
    const size = Math.max(this.#bytes.length * 2, length + bytes);
    const larger = new Uint8Array(size);
    larger.set(this.#bytes.subarray(this.#at), size - length);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
    this.#at = size - length;
  }
}
