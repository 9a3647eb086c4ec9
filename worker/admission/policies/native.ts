// Converts values of expressions to the JSON that a mutation writes.
import { base64Of } from "../../../shared/base/base64.ts";
import { durationText, timestampText } from "../../../shared/cel/go-text.ts";
import {
  type DurationValue,
  type Failure,
  type ListValue,
  type MapValue,
  type OptionalValue,
  type StructValue,
  type TimestampValue,
  type UintValue,
  type Value,
  find,
  itemsOf,
  keysOf,
  kindOf,
  typeNameOf,
} from "../../../shared/cel/values.ts";
import { MutationProblem } from "./mutation-problem.ts";

/** Converts a value. With `leavesBytes`, bytes are not converted to text: an apply configuration must not have any. */
export function nativeOf(value: Value, { leavesBytes = false }: { readonly leavesBytes?: boolean } = {}): unknown {
  const inner = (item: Value) => nativeOf(item, { leavesBytes });
  switch (kindOf(value)) {
    case "null":
    case "bool":
    case "string":
    case "double":
      return value;
    case "int":
      return Number(value);
    case "uint":
      return Number((value as UintValue).value);
    case "bytes":
      return leavesBytes ? value : base64Of(value as Uint8Array);
    case "duration":
      return durationText((value as DurationValue).ns);
    case "timestamp":
      return timestampText((value as TimestampValue).ns);
    case "list":
      return Array.from(itemsOf(value as ListValue), inner);
    case "map":
      return Object.fromEntries(entriesOf(value as MapValue, inner));
    case "struct":
      return Object.fromEntries([...(value as StructValue).fields].map(([name, field]) => [name, inner(field)]));
    case "optional":
      return inner((value as OptionalValue).value ?? null);
    case "failure":
      throw new MutationProblem((value as Failure).message);
    default:
      throw new MutationProblem(`unsupported value of type ${typeNameOf(value)}`);
  }
}

function entriesOf(map: MapValue, inner: (value: Value) => unknown): [string, unknown][] {
  return keysOf(map).map((key) => {
    if (typeof key !== "string") throw new MutationProblem(`map key of type ${typeNameOf(key)} is not a string`);
    return [key, inner(find(map, key) ?? null)];
  });
}
