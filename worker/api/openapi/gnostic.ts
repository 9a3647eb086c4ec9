// Encodes the OpenAPI v2 document as protobuf (gnostic's `openapi.v2.Document`), which kubectl requests.
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import type { Schema } from "../../../shared/schema/openapi/schema.ts";
import { anyValue, extensions, type Fields, flag, message, named, text } from "./gnostic-fields.ts";
import type { V2Document, V2Operation, V2Parameter, V2PathItem } from "./v2.ts";

// The field numbers are those of gnostic's OpenAPIv2.proto.

/** The fields of a path item that hold operations. */
const methodFields: Readonly<Record<string, number>> = {
  get: 2,
  put: 3,
  post: 4,
  delete: 5,
  options: 6,
  head: 7,
  patch: 8,
};

export function gnosticDocument(document: V2Document): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  text(writer, 1, "2.0");
  message(writer, 2, (infoWriter) => {
    text(infoWriter, 1, document.info.title);
    text(infoWriter, 2, document.info.version);
  });
  message(writer, 8, (paths) => {
    for (const [path, item] of Object.entries(document.paths)) named(paths, 2, path, pathItem(item));
  });
  message(writer, 9, (definitions) => {
    for (const [type, definition] of Object.entries(document.definitions))
      named(definitions, 1, type, schema(definition));
  });
  message(writer, 13, (definitions) => {
    for (const [name, scheme] of Object.entries(document.security)) {
      named(definitions, 1, name, (item) =>
        message(item, 2, (key) => {
          text(key, 1, scheme.type);
          text(key, 2, scheme.name);
          text(key, 3, scheme.in);
          text(key, 4, scheme.description);
        }),
      );
    }
  });
  return new Uint8Array(writer.finish());
}

const pathItem =
  ({ operations, parameters }: V2PathItem): Fields =>
  (writer) => {
    for (const [method, operationOfMethod] of Object.entries(operations)) {
      const field = methodFields[method];
      if (field !== undefined) message(writer, field, operation(operationOfMethod));
    }
    for (const operationParameter of parameters ?? []) message(writer, 9, parameter(operationParameter));
  };

const operation =
  (source: V2Operation): Fields =>
  (writer) => {
    for (const tag of source.tags) text(writer, 1, tag);
    text(writer, 3, source.description);
    text(writer, 5, source.operationId);
    for (const type of source.produces) text(writer, 6, type);
    for (const type of source.consumes) text(writer, 7, type);
    for (const item of source.parameters ?? []) message(writer, 8, parameter(item));
    message(writer, 9, (responses) => {
      for (const [code, { description, schema: answer }] of Object.entries(source.responses)) {
        named(responses, 1, code, (value) =>
          message(value, 1, (response) => {
            text(response, 1, description);
            if (answer) message(response, 2, (item) => message(item, 1, schema(answer)));
          }),
        );
      }
    });
    for (const scheme of source.schemes) text(writer, 10, scheme);
    extensions(writer, 13, source);
  };

/** Writes a ParametersItem: a body, or a query or path parameter. */
const parameter =
  (source: V2Parameter): Fields =>
  (item) =>
    message(item, 1, (writer) => {
      const body = source.schema;
      if (body) {
        message(writer, 1, (fields) => {
          text(fields, 1, source.description);
          text(fields, 2, source.name);
          text(fields, 3, source.in);
          flag(fields, 4, source.required);
          message(fields, 5, schema(body));
        });
        return;
      }
      const query = source.in === "query";
      message(writer, 2, (choice) =>
        message(choice, query ? 3 : 4, (fields) => {
          flag(fields, 1, source.required);
          text(fields, 2, source.in);
          text(fields, 3, source.description);
          text(fields, 4, source.name);
          text(fields, query ? 6 : 5, source.type);
          flag(fields, query ? 20 : 19, source.uniqueItems);
        }),
      );
    });

const schema =
  (source: Schema): Fields =>
  (writer) => {
    text(writer, 1, source.$ref);
    text(writer, 2, source.format);
    text(writer, 4, source.description);
    for (const name of source.required ?? []) text(writer, 19, name);
    for (const value of source.enum ?? []) message(writer, 20, anyValue(value));
    const { additionalProperties, type, items, properties } = source;
    if (additionalProperties) message(writer, 21, (item) => message(item, 1, schema(additionalProperties)));
    if (type) message(writer, 22, (item) => text(item, 1, type));
    if (items) message(writer, 23, (item) => message(item, 1, schema(items)));
    if (properties) {
      message(writer, 25, (all) => {
        for (const [name, property] of Object.entries(properties)) named(all, 1, name, schema(property));
      });
    }
    extensions(writer, 31, source);
  };
