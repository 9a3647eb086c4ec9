// Values of ASN.1 as the types of `@peculiar/asn1-*` declare them, read and written as DER.
import { AsnConvert, AsnParser } from "@peculiar/asn1-schema";
import { fromBER } from "asn1js";

/** The error of malformed bytes, in the words of Go's `encoding/asn1`. */
export class DerError extends Error {}

/** Parses one value without trailing bytes; throws `DerError`. */
export function parseDer<T>(bytes: Uint8Array, type: new () => T): T {
  if (bytes.length === 0) throw new DerError("asn1: syntax error: sequence truncated");
  const { offset, result } = berOf(bytes);
  if (offset < 0) throw new DerError("asn1: syntax error: data truncated");
  if (offset < bytes.length) throw new DerError("asn1: syntax error: trailing data");
  // The library leaves the length block empty if the length itself is missing.
  if (result.lenBlock.length === 0) throw new DerError("asn1: syntax error: sequence truncated");
  try {
    return AsnParser.fromASN<T>(result, type);
  } catch {
    throw new DerError("asn1: structure error: tags don't match");
  }
}

/** Reads the first value. The library throws errors of any class for texts and times that cannot be read. */
function berOf(bytes: Uint8Array): ReturnType<typeof fromBER> {
  try {
    return fromBER(bytes);
  } catch {
    throw new DerError("asn1: syntax error: invalid value");
  }
}

/** Returns the length of the first value; -1 if there is none. */
function lengthOf(bytes: Uint8Array): number {
  try {
    return berOf(bytes).offset;
  } catch (thrown) {
    if (thrown instanceof DerError) return -1;
    throw thrown;
  }
}

/** Parses as `parseDer` does, but returns undefined for malformed bytes. */
export function readDer<T>(bytes: Uint8Array, type: new () => T): T | undefined {
  try {
    return parseDer(bytes, type);
  } catch (thrown) {
    if (thrown instanceof DerError) return undefined;
    throw thrown;
  }
}

/** Parses values that follow each other. Returns undefined if one is malformed. */
export function readSeries<T>(bytes: Uint8Array, type: new () => T): T[] | undefined {
  const values: T[] = [];
  for (let at = 0; at < bytes.length; ) {
    const offset = lengthOf(bytes.subarray(at));
    const value = offset < 0 ? undefined : readDer(bytes.subarray(at, at + offset), type);
    if (value === undefined) return undefined;
    values.push(value);
    at += offset;
  }
  return values;
}

export function derOf(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(AsnConvert.serialize(value));
}
