// The CEL types that a schema declares, with bounds of their size.
import type { Sizes } from "./cost/estimate.ts";
import { escapeName } from "./escape.ts";
import { type Schema, extraSchema, withMeta } from "./schema.ts";
import {
  type CelType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
} from "./types.ts";

export interface DeclaredType {
  readonly type: CelType;
  /** The most characters, items or entries; 0 for a type of fixed size. */
  readonly maxElements: number;
  /** The least number of bytes as JSON. */
  readonly minBytes: number;
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  readonly key?: DeclaredType;
  readonly element?: DeclaredType;
}

/** The largest request, which bounds types that their schema does not bound. */
export const maxRequestBytes = 3 * 1024 * 1024;
/** The bytes of an empty string, of the longest duration or time, and of a date, with their quotes. */
const minString = 2;
const longestTime = 32;
const dateBytes = 12;

/** Returns the type of a scalar's schema; undefined for any other schema. */
export function scalarType({ type, format }: Pick<Schema, "type" | "format">): CelType | undefined {
  if (type === "boolean") return boolType;
  if (type === "number") return doubleType;
  if (type === "integer") return intType;
  if (type !== "string") return undefined;
  if (format === "byte") return bytesType;
  if (format === "duration") return durationType;
  return format === "date" || format === "date-time" ? timestampType : stringType;
}

/** Returns the type of a schema, or undefined if expressions cannot see its values. `name` is the type's name in error messages. */
export function declaredType(source: Schema, isRoot: boolean, name = "object"): DeclaredType | undefined {
  if (source["x-kubernetes-int-or-string"]) {
    const maxElements = source.maxLength === undefined ? maxRequestBytes - 2 : utf8Bytes(source.maxLength);
    return { type: dynType, maxElements, minBytes: 1 };
  }
  const schema = isRoot ? withMeta(source) : source;
  switch (schema.type) {
    case "array":
      return declaredList(schema, name);
    case "object":
      return extraSchema(schema) ? declaredMap(schema, name) : declaredObject(schema, name);
    default:
      return declaredScalar(schema);
  }
}

/** Returns the sizes of everything below variables of this type. */
export function sizesOf(root: DeclaredType): Sizes {
  return (path) => {
    let type: DeclaredType | undefined = root;
    for (const step of path.slice(1)) type = type && stepInto(type, step);
    return type && { min: 0, max: type.maxElements };
  };
}

/** Returns how many values of this type one request can have at most. */
export function maxCardinality({ minBytes }: DeclaredType): number {
  return Math.floor(maxRequestBytes / (minBytes + 1));
}

function stepInto(type: DeclaredType, step: string): DeclaredType | undefined {
  if (step === "@items" || step === "@values") return type.element;
  return step === "@keys" ? type.key : type.fields?.get(step);
}

/** Returns the bytes of a text of multi-byte characters, as upstream estimates them. */
function utf8Bytes(characters: number): number {
  return Math.max(0, characters) * 4;
}

function isEmbedded(schema: Schema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

function declaredList(schema: Schema, name: string): DeclaredType | undefined {
  const element = schema.items && declaredType(schema.items, isEmbedded(schema.items), `${name}.@idx`);
  if (!element) return undefined;
  const most = Math.floor((maxRequestBytes - 2) / (element.minBytes + 1));
  const maxElements = schema.maxItems === undefined ? most : Math.max(0, schema.maxItems);
  return { type: listType(element.type), maxElements, minBytes: 2, element };
}

function declaredMap(schema: Schema, name: string): DeclaredType | undefined {
  const extra = extraSchema(schema);
  const element = extra && declaredType(extra, isEmbedded(extra), `${name}.@elem`);
  if (!element) return undefined;
  const most = Math.floor((maxRequestBytes - 2) / (element.minBytes + 6));
  const maxElements = schema.maxProperties === undefined ? most : Math.max(0, schema.maxProperties);
  const key: DeclaredType = { type: stringType, maxElements: 0, minBytes: minString };
  return { type: mapType(stringType, element.type), maxElements, minBytes: 2, key, element };
}

function declaredObject(schema: Schema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minBytes = 2;
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property);
    const type = declaredType(inner, isEmbedded(inner), `${name}.${escaped ?? property}`);
    if (!type) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    // A property with a default may be missing from the request.
    const isRequired = schema.required?.includes(property) && inner.default === undefined;
    if (isRequired) minBytes += property.length + type.minBytes + 4;
  }
  return {
    type: structType(name, (field) => fields.get(escapedField(field, fields))?.type),
    maxElements: 0,
    minBytes,
    fields,
  };
}

/** Escapes a field's name that is a reserved word. */
function escapedField(field: string, fields: ReadonlyMap<string, DeclaredType>): string {
  const escaped = `__${field}__`;
  return !fields.has(field) && escapeName(field) === escaped ? escaped : field;
}

function declaredScalar(schema: Schema): DeclaredType | undefined {
  const { format, maxLength } = schema;
  const type = scalarType(schema);
  switch (type) {
    case undefined:
      return undefined;
    case boolType:
      return { type, maxElements: 0, minBytes: 4 };
    case doubleType:
    case intType:
      return { type, maxElements: 0, minBytes: 1 };
    case bytesType: {
      const maxElements = maxLength === undefined ? maxRequestBytes - 2 : Math.max(0, maxLength);
      return { type, maxElements, minBytes: minString };
    }
    case durationType:
      return { type, maxElements: longestTime, minBytes: 3 };
    case timestampType:
      if (format === "date") return { type, maxElements: dateBytes, minBytes: dateBytes };
      return { type, maxElements: longestTime, minBytes: 21 };
    default:
      return { type, maxElements: longestString(schema), minBytes: minString };
  }
}

function longestString({ maxLength, enum: values }: Schema): number {
  if (maxLength !== undefined) return utf8Bytes(maxLength);
  if (!values?.length) return maxRequestBytes - 2;
  return Math.max(0, ...values.map((value) => (typeof value === "string" ? value.length : 0)));
}
