// The kind ConfigMap: keys, size, immutability.
import { utf8Length } from "../../../shared/base/utf8.ts";
import type { ConfigMap } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, forbidden, invalid, path, rootPath, tooLong } from "../../../shared/k8s/field.ts";
import { configMapKey } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { base64Bytes, maxSecretSize } from "./data-size.ts";
import { defineKind } from "../kind.ts";

export const configMaps = defineKind<ConfigMap>("", "v1", "configmaps", {
  validate,
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...validateUpdate(next, previous),
    ...check.objectMeta(),
    ...check.validate(),
  ],
  columns: [
    nameColumn,
    {
      name: "Data",
      type: "string",
      description: "How many keys the object holds.",
      cell: ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    },
    ageColumn,
  ],
});

function validate({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...configMapKey(key).map((message) => invalid(path("data").key(key), key, message)));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalid(path("data").key(key), key, "duplicate of key present in binaryData"));
    }
    bytes += utf8Length(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    errors.push(...configMapKey(key).map((message) => invalid(path("binaryData").key(key), key, message)));
    bytes += base64Bytes(value);
  }
  // The error has no field: the whole object is too large.
  if (bytes > maxSecretSize) errors.push(tooLong(rootPath, maxSecretSize));
  return errors;
}

function validateUpdate(next: ConfigMap, previous: ConfigMap): FieldError[] {
  if (!previous.immutable) return [];
  const why = "field is immutable when `immutable` is set";
  const errors: FieldError[] = [];
  if (!next.immutable) errors.push(forbidden(path("immutable"), why));
  if (!semanticEqual(next.data ?? {}, previous.data ?? {})) errors.push(forbidden(path("data"), why));
  if (!semanticEqual(next.binaryData ?? {}, previous.binaryData ?? {})) {
    errors.push(forbidden(path("binaryData"), why));
  }
  return errors;
}
