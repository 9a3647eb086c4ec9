// The writer of protobuf's wire format beside the library's.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BackwardWriter, tagOf } from "../../shared/schema/protobuf/backward-writer.ts";
import { secondsOf } from "../../shared/schema/timestamps.ts";

const writer = new BackwardWriter();

function bytesOf(write: (out: BackwardWriter) => void): number[] {
  write(writer);
  return [...writer.finish()];
}

describe("V2: the backward writer and the library's writer", () => {
  test("agree on texts, of one byte a character and of more, short and long", () => {
    const text = fc.oneof(fc.string({ maxLength: 120 }), fc.string({ unit: "grapheme", maxLength: 120 }));
    fc.assert(
      fc.property(text, (value) => {
        const expected = new BinaryWriter().tag(3, WireType.LengthDelimited).string(value).finish();
        expect(bytesOf((out) => out.text(tagOf(3, "delimited"), value))).toEqual([...expected]);
      }),
    );
  });

  test("agree on half of a surrogate pair, as the replacement character", () => {
    for (const value of ["a\ud800", `${"a".repeat(60)}\udc00b`]) {
      const expected = new BinaryWriter().tag(1, WireType.LengthDelimited).string(value).finish();
      expect(bytesOf((out) => out.text(tagOf(1, "delimited"), value))).toEqual([...expected]);
    }
  });

  test.each([0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 32, 2 ** 53 - 1, -1, -(2 ** 31), -(2 ** 53)])(
    "agree on the number %d",
    (value) => {
      const expected = new BinaryWriter().int64(BigInt(value)).finish();
      expect(bytesOf((out) => out.int64(value))).toEqual([...expected]);
      expect(bytesOf((out) => out.int64(BigInt(value)))).toEqual([...expected]);
    },
  );

  test.each([0, -0.5, 1e300, 0.1])("agree on the fraction %d", (value) => {
    const expected = new BinaryWriter()
      .double(value)
      .float(Math.fround(Math.min(value, 1e30)))
      .finish();
    const actual = bytesOf((out) => {
      out.float(Math.min(value, 1e30));
      out.double(value);
    });
    expect(actual).toEqual([...expected]);
  });

  test("agree on nested messages, larger than the initial buffer, one after the other", () => {
    for (const count of [1, 5000, 1]) {
      const expected = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
      for (let at = 0; at < count; at++) expected.tag(2, WireType.LengthDelimited).string(`item ${at}`);
      const actual = bytesOf((out) => {
        for (let at = count - 1; at >= 0; at--) out.text(tagOf(2, "delimited"), `item ${at}`);
        out.end(tagOf(1, "delimited"), 0);
      });
      expect(Buffer.from(actual).equals(Buffer.from(expected.join().finish()))).toBe(true);
    }
  });

  test("return a copy, and forget an aborted message", () => {
    writer.raw(Uint8Array.of(1, 2, 3));
    writer.clear();
    writer.byte(4);
    const first = writer.finish();
    writer.byte(5);
    expect([...first, ...writer.finish()]).toEqual([4, 5]);
  });
});

test("V2: the seconds of a time match the platform's, also on the last days of a month", () => {
  const date = fc.date({
    min: new Date("0002-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, (at) => {
      const text = `${at.toISOString().slice(0, 19)}Z`;
      const seconds = Math.floor(at.getTime() / 1000);
      expect(secondsOf(text)).toBe(seconds);
    }),
  );
  const lastDays = ["2024-02-29", "2000-02-29", "2026-11-30", "2026-12-31"];
  for (const day of lastDays) expect(secondsOf(`${day}T01:02:03Z`)).toBe(Date.parse(`${day}T01:02:03Z`) / 1000);
  const refused = ["2026-13-01", "0001-01-01", "2026-02-29", "1900-02-29", "2026-04-31", "2026-01-32"];
  for (const text of [...refused.map((day) => `${day}T00:00:00Z`), "2026-01-01T24:00:00Z", "2026-01-01t00:00:00Z"])
    expect(secondsOf(text)).toBeUndefined();
});
