// The protobuf form of the OpenAPI v2 document (gnostic's `openapi.v2.Document`), which kubectl asks for.
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import type { Schema } from "../../../shared/schema/openapi/schema.ts";
import { anyValue, extensions, type Fields, flag, message, named, text } from "./gnostic-fields.ts";
import type { V2Document, V2Operation, V2Parameter, V2PathItem } from "./v2.ts";

// The numbers of fields are those of gnostic's OpenAPIv2.proto.

/** The field of a path item that holds an operation. */
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
  message(writer, 2, (one) => {
    text(one, 1, document.info.title);
    text(one, 2, document.info.version);
  });
  message(writer, 8, (paths) => {
    for (const [path, item] of Object.entries(document.paths)) named(paths, 2, path, pathItem(item));
  });
  message(writer, 9, (definitions) => {
    for (const [type, one] of Object.entries(document.definitions)) named(definitions, 1, type, schema(one));
  });
  message(writer, 13, (definitions) => {
    for (const [name, one] of Object.entries(document.security)) {
      named(definitions, 1, name, (item) =>
        message(item, 2, (key) => {
          text(key, 1, one.type);
          text(key, 2, one.name);
          text(key, 3, one.in);
          text(key, 4, one.description);
        }),
      );
    }
  });
  return new Uint8Array(writer.finish());
}

const pathItem =
  ({ operations, parameters }: V2PathItem): Fields =>
  (writer) => {
    for (const [method, one] of Object.entries(operations)) {
      const field = methodFields[method];
      if (field !== undefined) message(writer, field, operation(one));
    }
    for (const one of parameters ?? []) message(writer, 9, parameter(one));
  };

const operation =
  (one: V2Operation): Fields =>
  (writer) => {
    for (const tag of one.tags) text(writer, 1, tag);
    text(writer, 3, one.description);
    text(writer, 5, one.operationId);
    for (const type of one.produces) text(writer, 6, type);
    for (const type of one.consumes) text(writer, 7, type);
    for (const item of one.parameters ?? []) message(writer, 8, parameter(item));
    message(writer, 9, (responses) => {
      for (const [code, { description, schema: answer }] of Object.entries(one.responses)) {
        named(responses, 1, code, (value) =>
          message(value, 1, (response) => {
            text(response, 1, description);
            if (answer) message(response, 2, (item) => message(item, 1, schema(answer)));
          }),
        );
      }
    });
    for (const scheme of one.schemes) text(writer, 10, scheme);
    extensions(writer, 13, one);
  };

/** A ParametersItem: a body, or a query or path parameter. */
const parameter =
  (one: V2Parameter): Fields =>
  (item) =>
    message(item, 1, (writer) => {
      const body = one.schema;
      if (body) {
        message(writer, 1, (fields) => {
          text(fields, 1, one.description);
          text(fields, 2, one.name);
          text(fields, 3, one.in);
          flag(fields, 4, one.required);
          message(fields, 5, schema(body));
        });
        return;
      }
      const query = one.in === "query";
      message(writer, 2, (choice) =>
        message(choice, query ? 3 : 4, (fields) => {
          flag(fields, 1, one.required);
          text(fields, 2, one.in);
          text(fields, 3, one.description);
          text(fields, 4, one.name);
          text(fields, query ? 6 : 5, one.type);
          flag(fields, query ? 20 : 19, one.uniqueItems);
        }),
      );
    });

const schema =
  (one: Schema): Fields =>
  (writer) => {
    text(writer, 1, one.$ref);
    text(writer, 2, one.format);
    text(writer, 4, one.description);
    for (const name of one.required ?? []) text(writer, 19, name);
    for (const value of one.enum ?? []) message(writer, 20, anyValue(value));
    const { additionalProperties, type, items, properties } = one;
    if (additionalProperties) message(writer, 21, (item) => message(item, 1, schema(additionalProperties)));
    if (type) message(writer, 22, (item) => text(item, 1, type));
    if (items) message(writer, 23, (item) => message(item, 1, schema(items)));
    if (properties) {
      message(writer, 25, (all) => {
        for (const [name, property] of Object.entries(properties)) named(all, 1, name, schema(property));
      });
    }
    extensions(writer, 31, one);
  };
