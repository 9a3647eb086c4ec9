// Bytes that stand as text: all of them come back, whole or in pieces, through JSON too.
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import { byteLength, bytesOfText, newByteReader, textOfBytes } from "../../shared/base/byte-text.ts";

const letters = [...new TextEncoder().encode("a\n€é😀\ufeff")];

describe("bytes as text", () => {
  test("UTF-8 becomes its text, and other bytes are restored as well", () => {
    const text = "\ufeffhéllo €😀";
    expect(textOfBytes(new TextEncoder().encode(text))).toBe(text);
    const broken = Uint8Array.from([0x61, 0xff, 0xc3, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, 0x80, 0xe2]);
    const escapedText = textOfBytes(broken);
    expect(escapedText).toBe("a\udcff\udcc3\udced\udca0\udc80😀\udce2");
    expect(bytesOfText(escapedText)).toEqual(broken);
    expect(byteLength(escapedText)).toBe(broken.length);
  });

  test("any bytes survive JSON and any split", () => {
    const { next } = seededRandom(1);
    const below = (count: number) => Math.floor(next() * count);
    for (let round = 0; round < 2000; round++) {
      const length = below(24);
      const bytes = Uint8Array.from({ length }, () =>
        below(2) === 0 ? below(256) : (letters[below(letters.length)] ?? 0),
      );
      const text = textOfBytes(bytes);
      expect(bytesOfText(JSON.parse(JSON.stringify(text)) as string)).toEqual(bytes);
      const reader = newByteReader();
      const size = 1 + below(5);
      let read = "";
      for (let at = 0; at < length; at += size) read += reader.read(bytes.subarray(at, at + size));
      expect(read + reader.end()).toBe(text);
    }
  });
});
