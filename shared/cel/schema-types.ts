// The types of data that a schema declares, with how large it can be.
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
  /** The most characters, items or entries; 0 for what is counted as one. */
  readonly maxElements: number;
  /** The least bytes that it takes as JSON. */
  readonly minBytes: number;
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  readonly key?: DeclaredType;
  readonly element?: DeclaredType;
}

/** The largest request, which bounds what no schema bounds. */
export const maxRequestBytes = 3 * 1024 * 1024;
const minString = 2;
const longestTime = 32;
const dateBytes = 12;

/** What a schema of a scalar declares; undefined for any other. */
export function scalarType({ type, format }: Pick<Schema, "type" | "format">): CelType | undefined {
  if (type === "boolean") return boolType;
  if (type === "number") return doubleType;
  if (type === "integer") return intType;
  if (type !== "string") return undefined;
  if (format === "byte") return bytesType;
  if (format === "duration") return durationType;
  return format === "date" || format === "date-time" ? timestampType : stringType;
}

/** Undefined for what expressions cannot see. `name` is what error messages call an object of it. */
export function declaredType(given: Schema, isRoot: boolean, name = "object"): DeclaredType | undefined {
  if (given["x-kubernetes-int-or-string"]) {
    const maxElements = given.maxLength === undefined ? maxRequestBytes - 2 : fourfold(given.maxLength);
    return { type: dynType, maxElements, minBytes: 1 };
  }
  const schema = isRoot ? withMeta(given) : given;
  switch (schema.type) {
    case "array":
      return declaredList(schema, name);
    case "object":
      return extraSchema(schema) ? declaredMap(schema, name) : declaredObject(schema, name);
    default:
      return declaredScalar(schema);
  }
}

/** The sizes of all that is under variables of this type. */
export function sizesOf(root: DeclaredType): Sizes {
  return (path) => {
    let type: DeclaredType | undefined = root;
    for (const step of path.slice(1)) type = type && stepInto(type, step);
    return type && { min: 0, max: type.maxElements };
  };
}

/** How many there can be of them in one request, at the most. */
export function maxCardinality({ minBytes }: DeclaredType): number {
  return Math.floor(maxRequestBytes / (minBytes + 1));
}

function stepInto(type: DeclaredType, step: string): DeclaredType | undefined {
  if (step === "@items" || step === "@values") return type.element;
  return step === "@keys" ? type.key : type.fields?.get(step);
}

function fourfold(characters: number): number {
  return Math.max(0, characters) * 4;
}

function embedded(schema: Schema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

function declaredList(schema: Schema, name: string): DeclaredType | undefined {
  const element = schema.items && declaredType(schema.items, embedded(schema.items), `${name}.@idx`);
  if (!element) return undefined;
  const most = Math.floor((maxRequestBytes - 2) / (element.minBytes + 1));
  const maxElements = schema.maxItems === undefined ? most : Math.max(0, schema.maxItems);
  return { type: listType(element.type), maxElements, minBytes: 2, element };
}

function declaredMap(schema: Schema, name: string): DeclaredType | undefined {
  const extra = extraSchema(schema);
  const element = extra && declaredType(extra, embedded(extra), `${name}.@elem`);
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
    const type = declaredType(inner, embedded(inner), `${name}.${escaped ?? property}`);
    if (!type) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    // What has a default need not be in the request.
    const isGiven = schema.required?.includes(property) && inner.default === undefined;
    if (isGiven) minBytes += property.length + type.minBytes + 4;
  }
  return {
    type: structType(name, (field) => fields.get(escapedField(field, fields))?.type),
    maxElements: 0,
    minBytes,
    fields,
  };
}

/** A reserved word that can be read as a name is one of a field. */
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
  if (maxLength !== undefined) return fourfold(maxLength);
  if (!values?.length) return maxRequestBytes - 2;
  return Math.max(0, ...values.map((value) => (typeof value === "string" ? value.length : 0)));
}
