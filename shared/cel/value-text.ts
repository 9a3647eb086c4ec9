// Values as error messages print them.
import { durationText, goDouble, timestampText } from "./go-text.ts";
import { decodeUtf8 } from "../base/utf8.ts";
import type { Pay } from "./pay.ts";
import {
  type DurationValue,
  type Failure,
  type ListValue,
  type MapValue,
  type OptionalValue,
  type TimestampValue,
  type TypeValue,
  type UintValue,
  type Value,
  find,
  itemsOf,
  keysOf,
  kindOf,
  typeNameOf,
} from "./values.ts";

export function valueText(value: Value, pay: Pay): string {
  pay(1);
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  switch (kindOf(value)) {
    case "null":
      return "null";
    case "double":
      return goDouble(value as number);
    case "uint":
      return String((value as UintValue).value);
    case "bytes":
      return decodeUtf8(value as Uint8Array) ?? "";
    case "duration":
      return durationText((value as DurationValue).ns);
    case "timestamp":
      return timestampText((value as TimestampValue).ns);
    case "type":
      return (value as TypeValue).name;
    case "failure":
      return (value as Failure).message;
    case "list":
      return `[${[...itemsOf(value as ListValue)].map((item) => valueText(item, pay)).join(", ")}]`;
    case "map":
      return `{${entryTexts(value as MapValue, pay).join(", ")}}`;
    case "optional": {
      const { value: inner } = value as OptionalValue;
      return inner === undefined ? "optional.none()" : `optional(${valueText(inner, pay)})`;
    }
    default:
      return typeNameOf(value);
  }
}

function entryTexts(map: MapValue, pay: Pay): string[] {
  return keysOf(map).map((key) => `${valueText(key, pay)}: ${valueText(find(map, key) ?? null, pay)}`);
}
