// Values of expressions as JSON: what a mutation writes into an object.
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

export function nativeOf(value: Value): unknown {
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
      return btoa(String.fromCharCode(...(value as Uint8Array)));
    case "duration":
      return durationText((value as DurationValue).ns);
    case "timestamp":
      return timestampText((value as TimestampValue).ns);
    case "list":
      return Array.from(itemsOf(value as ListValue), nativeOf);
    case "map":
      return Object.fromEntries(entriesOf(value as MapValue));
    case "struct":
      return Object.fromEntries([...(value as StructValue).fields].map(([name, field]) => [name, nativeOf(field)]));
    case "optional":
      return nativeOf((value as OptionalValue).value ?? null);
    case "failure":
      throw new MutationProblem((value as Failure).message);
    default:
      throw new MutationProblem(`unsupported value of type ${typeNameOf(value)}`);
  }
}

function entriesOf(map: MapValue): [string, unknown][] {
  return keysOf(map).map((key) => {
    if (typeof key !== "string") throw new MutationProblem(`map key of type ${typeNameOf(key)} is not a string`);
    return [key, nativeOf(find(map, key) ?? null)];
  });
}
