// Conversions between types.
import type { Library } from "../functions.ts";
import { durationText, goDouble, timestampText } from "../go-text.ts";
import { charsOf } from "../cost/sizes.ts";
import { parseTimestamp } from "../timestamps.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/utf8.ts";
import {
  type DurationValue,
  type ListValue,
  type MapValue,
  type TimestampValue,
  type UintValue,
  type Value,
  fail,
  sizeOf,
  typeNameOf,
  uint,
} from "../values.ts";
import { parseDuration } from "../../schema/durations.ts";
import { checkedUint, duration, int, timestamp } from "./arithmetic.ts";

const same = (value: Value) => value;
const sizeOfText = (text: string) => BigInt(charsOf(text));
const sizeOfContainer = (container: ListValue | MapValue) => BigInt(sizeOf(container));
const sizeOfBytes = (bytes: Uint8Array) => BigInt(bytes.length);

export const conversions: Library = {
  "bool(bool) bool": same,
  "bool(string) bool": boolOf,
  "bytes(bytes) bytes": same,
  "bytes(string) bytes": encodeUtf8,
  "double(double) double": same,
  "double(int) double": (value: bigint) => Number(value),
  "double(string) double": doubleOf,
  "double(uint) double": ({ value }: UintValue) => Number(value),
  "duration(duration) duration": same,
  // Declared but not implemented, as upstream.
  "duration(int) duration": () => fail("type conversion error from 'int' to 'google.protobuf.Duration'"),
  "duration(string) duration": durationOf,
  "dyn(A) dyn": same,
  "int(int) int": same,
  "int(double) int": (value: number) => wholeOf(value, int, fail("integer overflow")),
  "int(duration) int": ({ ns }: DurationValue) => ns,
  "int(string) int": (text: string) => integerOf(text, "int", -(2n ** 63n), 2n ** 63n - 1n, int),
  "int(timestamp) int": ({ ns }: TimestampValue) => (ns - (((ns % billion) + billion) % billion)) / billion,
  "int(uint) int": ({ value }: UintValue) => int(value),
  "string(string) string": same,
  "string(bool) string": String,
  "string(bytes) string": textOfBytes,
  "string(double) string": goDouble,
  "string(duration) string": ({ ns }: DurationValue) => durationText(ns),
  "string(int) string": String,
  "string(timestamp) string": ({ ns }: TimestampValue) => timestampText(ns),
  "string(uint) string": ({ value }: UintValue) => String(value),
  "timestamp(timestamp) timestamp": same,
  "timestamp(int) timestamp": (seconds: bigint) => timestamp(seconds * billion),
  "timestamp(string) timestamp": timestampOf,
  "type(A) type(A)": (value: Value): Value => ({ kind: "type", name: typeNameOf(value) }),
  "uint(uint) uint": same,
  "uint(double) uint": (value: number) => wholeOf(value, checkedUint, fail("unsigned integer overflow")),
  "uint(int) uint": (value: bigint) => checkedUint(value),
  "uint(string) uint": (text: string) => integerOf(text, "uint", 0n, 2n ** 64n - 1n, uint),
  "size(bytes) int": sizeOfBytes,
  ".size(bytes) int": sizeOfBytes,
  "size(list(A)) int": sizeOfContainer,
  ".size(list(A)) int": sizeOfContainer,
  "size(map(A, B)) int": sizeOfContainer,
  ".size(map(A, B)) int": sizeOfContainer,
  "size(string) int": sizeOfText,
  ".size(string) int": sizeOfText,
};

const billion = 1_000_000_000n;

function boolOf(text: string): Value {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(text)) return false;
  return wrongText("bool");
}

function doubleOf(text: string): Value {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special) {
    if (special[2]?.toLowerCase() === "nan") return special[1] ? wrongText("double") : NaN;
    return special[1] === "-" ? -Infinity : Infinity;
  }
  if (!/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) {
    return wrongText("double");
  }
  const value = Number(text);
  return Number.isFinite(value) ? value : wrongText("double");
}

function integerOf(
  text: string,
  type: "int" | "uint",
  least: bigint,
  most: bigint,
  make: (value: bigint) => Value,
): Value {
  const isWell = type === "int" ? /^[+-]?[0-9]+$/.test(text) : /^[0-9]+$/.test(text);
  if (!isWell) return wrongText(type);
  const value = BigInt(text.replace(/^\+/, ""));
  return value < least || value > most ? wrongText(type) : make(value);
}

function wrongText(type: string): Value {
  return fail(`type conversion error from 'string' to '${type}'`);
}

/** Truncates towards zero. */
function wholeOf(value: number, make: (value: bigint) => Value, overflow: Value): Value {
  // At the ends of its range a double does not identify one integer.
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 64) return overflow;
  const integer = BigInt(Math.trunc(value));
  return (integer === 2n ** 63n || integer === -(2n ** 63n)) && make === int ? overflow : make(integer);
}

function durationOf(text: string): Value {
  const ns = parseDuration(text);
  return typeof ns === "bigint" ? duration(ns) : wrongText("google.protobuf.Duration");
}

function timestampOf(text: string): Value {
  const ns = parseTimestamp(text);
  return typeof ns === "bigint" ? timestamp(ns) : wrongText("google.protobuf.Timestamp");
}

function textOfBytes(bytes: Uint8Array): Value {
  return decodeUtf8(bytes) ?? fail("invalid UTF-8 in bytes, cannot convert to string");
}
