// How the objects of a kind are read, owned and refused: of built-in kinds by the type graph, of custom ones by the schema of
// their definition. Whoever handles objects of any kind asks this and no type by name.
import { type Shape, shapeOf } from "./apply/shape.ts";
import { typedComplaint } from "./apply/typed.ts";
import { type Decoded, decode } from "./decode.ts";
import type { Source } from "./decode-context.ts";
import type { JsonObject } from "./json-values.ts";

export interface ObjectSchema {
  /** A fresh copy in canonical form; throws a 400 in upstream's words where a value has the wrong type. */
  decode(value: unknown, source?: Source): Decoded;
  /** The same for what server-side apply has merged, where nulls that were applied stay for validation to find. */
  decodeMerged?(value: unknown): Decoded;
  /** The object before anything was set. */
  empty(apiVersion: string, kind: string): JsonObject;
  /** How it is owned, field by field. */
  readonly shape: Shape;
  /** What of an applied configuration does not fit; undefined where all does. */
  complaint(config: unknown): string | undefined;
}

/** Of a built-in type. */
export function graphSchema(type: string): ObjectSchema {
  return {
    decode: (value, source) => decode(type, value, source),
    // Decoding an object gives one.
    empty: (apiVersion, kind) => decode(type, { apiVersion, kind, metadata: {} }).object as JsonObject,
    get shape() {
      return shapeOf(type);
    },
    complaint: (config) => typedComplaint(type, config),
  };
}
