// The schema of a kind: decoding, ownership and type errors. Built-in kinds use the type graph, custom kinds the schema of their
// definition. Code for objects of any kind uses this interface and names no type.
import { type Shape, shapeOf } from "./apply/shape.ts";
import { typedComplaint } from "./apply/typed.ts";
import { type Decoded, decode } from "./decode.ts";
import type { Source } from "./decode-context.ts";
import type { JsonObject } from "./json-values.ts";

export interface ObjectSchema {
  /** Returns a new copy in canonical form. Throws 400 in upstream's words if a value has the wrong type. */
  decode(value: unknown, source?: Source): Decoded;
  /** Decodes the result of server-side apply, in which applied nulls stay for validation to find. */
  decodeMerged?(value: unknown): Decoded;
  /** Returns an object without any field set. */
  empty(apiVersion: string, kind: string): JsonObject;
  /** How the object is owned, field by field. */
  readonly shape: Shape;
  /** Returns the type errors of an applied configuration; undefined if there are none. */
  complaint(config: unknown): string | undefined;
}

/** Returns the schema of a built-in type. */
export function graphSchema(type: string): ObjectSchema {
  return {
    decode: (value, source) => decode(type, value, source),
    // Decoding an object returns an object.
    empty: (apiVersion, kind) => decode(type, { apiVersion, kind, metadata: {} }).object as JsonObject,
    get shape() {
      return shapeOf(type);
    },
    complaint: (config) => typedComplaint(type, config),
  };
}
