// Encodes OpenAPI v3 documents as protobuf (gnostic's `openapi.v3.Document`) from JSON, by tables.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { OpenApiDocument } from "./document.ts";
import { anyValue, extensions, type Fields, flag, message, named, text } from "./gnostic-fields.ts";

/** Writes one field. Writes nothing if the value has another type. */
type Field = (writer: BinaryWriter, field: number, value: unknown) => void;

/** The field numbers of gnostic's OpenAPIv3.proto by JSON names. `x-` is the field of extensions. */
type Table = Readonly<Record<string, readonly [field: number, write: Field]>>;

export function gnosticV3Document(document: OpenApiDocument): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  fieldsOf(documentTable, document)(writer);
  return new Uint8Array(writer.finish());
}

const string: Field = (writer, field, value) => {
  if (typeof value === "string") text(writer, field, value);
};
const boolean: Field = (writer, field, value) => flag(writer, field, value === true);
const double: Field = (writer, field, value) => {
  if (typeof value === "number" && value !== 0) writer.tag(field, WireType.Bit64).double(value);
};
const integer: Field = (writer, field, value) => {
  if (Number.isSafeInteger(value) && value !== 0) writer.tag(field, WireType.Varint).int64(Number(value));
};
const any: Field = (writer, field, value) => {
  if (value !== undefined) message(writer, field, anyValue(value));
};

const object =
  (table: Table): Field =>
  (writer, field, value) => {
    if (isObject(value)) message(writer, field, fieldsOf(table, value));
  };

const list =
  (item: Field): Field =>
  (writer, field, value) => {
    if (Array.isArray(value)) for (const element of value) item(writer, field, element);
  };

/** Writes a map as named values, which keeps its order. */
const map =
  (value: (entryValue: unknown) => Fields): Field =>
  (writer, field, all) => {
    if (!isObject(all)) return;
    message(writer, field, (entries) => {
      for (const [name, entryValue] of Object.entries(all)) named(entries, 1, name, value(entryValue));
    });
  };

/** Writes one of two messages: the object itself or a reference. */
const orReference =
  (table: () => Table) =>
  (objectOrReference: unknown): Fields =>
  (writer) => {
    if (!isObject(objectOrReference)) return;
    if (typeof objectOrReference["$ref"] === "string") message(writer, 2, fieldsOf(referenceTable, objectOrReference));
    else message(writer, 1, fieldsOf(table(), objectOrReference));
  };

const choice =
  (fields: (fieldValue: unknown) => Fields): Field =>
  (writer, field, value) => {
    if (isObject(value)) message(writer, field, fields(value));
  };

function fieldsOf(table: Table, of: object): Fields {
  return (writer) => {
    for (const [name, value] of Object.entries(of)) {
      const [field, write] = (Object.hasOwn(table, name) ? table[name] : undefined) ?? [];
      if (field !== undefined && write && name !== "x-") write(writer, field, value);
    }
    const [field] = table["x-"] ?? [];
    if (field !== undefined) extensions(writer, field, of);
  };
}

const referenceTable: Table = { $ref: [1, string], summary: [2, string], description: [3, string] };
const schemaOrReference = orReference(() => schemaTable);

/** Writes `additionalProperties`: a schema or a boolean. */
const additional: Field = (writer, field, value) => {
  if (typeof value === "boolean") message(writer, field, (item) => item.tag(2, WireType.Varint).bool(value));
  else if (isObject(value)) message(writer, field, (item) => message(item, 1, schemaOrReference(value)));
};

/** Writes a default. Gnostic only supports scalars; for other values it records that there is a default. */
const defaultValue: Field = (writer, field, value) => {
  if (value === undefined) return;
  message(writer, field, (item) => {
    if (typeof value === "number") item.tag(1, WireType.Bit64).double(value);
    else if (typeof value === "boolean") item.tag(2, WireType.Varint).bool(value);
    else if (typeof value === "string") item.tag(3, WireType.LengthDelimited).string(value);
  });
};

const externalDocs = object({ description: [1, string], url: [2, string], "x-": [3, any] });
const schemas = list(choice(schemaOrReference));

const schemaTable: Table = {
  nullable: [1, boolean],
  readOnly: [3, boolean],
  writeOnly: [4, boolean],
  externalDocs: [6, externalDocs],
  example: [7, any],
  deprecated: [8, boolean],
  title: [9, string],
  multipleOf: [10, double],
  maximum: [11, double],
  exclusiveMaximum: [12, boolean],
  minimum: [13, double],
  exclusiveMinimum: [14, boolean],
  maxLength: [15, integer],
  minLength: [16, integer],
  pattern: [17, string],
  maxItems: [18, integer],
  minItems: [19, integer],
  uniqueItems: [20, boolean],
  maxProperties: [21, integer],
  minProperties: [22, integer],
  required: [23, list(string)],
  enum: [24, list(any)],
  type: [25, string],
  allOf: [26, schemas],
  oneOf: [27, schemas],
  anyOf: [28, schemas],
  not: [29, (writer, field, value) => object(schemaTable)(writer, field, value)],
  items: [
    30,
    (writer, field, value) => {
      if (isObject(value)) message(writer, field, (item) => message(item, 1, schemaOrReference(value)));
    },
  ],
  properties: [31, map(schemaOrReference)],
  additionalProperties: [32, additional],
  default: [33, defaultValue],
  description: [34, string],
  format: [35, string],
  "x-": [36, any],
};

const contentOf = map((mediaType) => fieldsOf({ schema: [1, choice(schemaOrReference)] }, asObject(mediaType)));

const parameterTable: Table = {
  name: [1, string],
  in: [2, string],
  description: [3, string],
  required: [4, boolean],
  deprecated: [5, boolean],
  allowEmptyValue: [6, boolean],
  style: [7, string],
  explode: [8, boolean],
  allowReserved: [9, boolean],
  schema: [10, choice(schemaOrReference)],
  content: [13, contentOf],
  "x-": [14, any],
};
const parameters = list(choice(orReference(() => parameterTable)));

const bodyTable: Table = { description: [1, string], content: [2, contentOf], required: [3, boolean], "x-": [4, any] };
const responseTable: Table = { description: [1, string], content: [3, contentOf], "x-": [5, any] };
const response = orReference(() => responseTable);

const responses: Field = (writer, field, value) => {
  if (!isObject(value)) return;
  message(writer, field, (all) => {
    const { default: defaultResponse, ...codes } = value;
    if (defaultResponse !== undefined) message(all, 1, response(defaultResponse));
    for (const [code, codeResponse] of Object.entries(codes)) named(all, 2, code, response(codeResponse));
  });
};

const operation = object({
  tags: [1, list(string)],
  summary: [2, string],
  description: [3, string],
  operationId: [5, string],
  parameters: [6, parameters],
  requestBody: [7, choice(orReference(() => bodyTable))],
  responses: [8, responses],
  deprecated: [10, boolean],
  "x-": [13, any],
});

const pathTable: Table = {
  summary: [2, string],
  description: [3, string],
  get: [4, operation],
  put: [5, operation],
  post: [6, operation],
  delete: [7, operation],
  options: [8, operation],
  head: [9, operation],
  patch: [10, operation],
  trace: [11, operation],
  parameters: [13, parameters],
  "x-": [14, any],
};

const securityTable: Table = {
  type: [1, string],
  description: [2, string],
  name: [3, string],
  in: [4, string],
  scheme: [5, string],
  bearerFormat: [6, string],
  "x-": [9, any],
};

const documentTable: Table = {
  openapi: [1, string],
  info: [2, object({ title: [1, string], description: [2, string], version: [6, string] })],
  paths: [4, map((path) => fieldsOf(pathTable, asObject(path)))],
  components: [
    5,
    object({ schemas: [1, map(schemaOrReference)], securitySchemes: [7, map(orReference(() => securityTable))] }),
  ],
};

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
