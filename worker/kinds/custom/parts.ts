// Parts of a version that stand in it or, of all alike, in the spec: subresources, printer columns, deprecation.
import type {
  CustomResourceColumnDefinition as ColumnDefinition,
  CustomResourceSubresources,
} from "../../../shared/k8s/api/apiextensions-v1.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function validateSubresources({ scale }: CustomResourceSubresources, at: FieldPath): FieldError[] {
  if (!scale) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...validateScalePath(specReplicasPath, [".spec."], "under .spec", at.child("scale.specReplicasPath")),
    ...validateScalePath(statusReplicasPath, [".status."], "under .status", at.child("scale.statusReplicasPath")),
    ...(labelSelectorPath
      ? validateScalePath(
          labelSelectorPath,
          [".spec.", ".status."],
          "under either .spec or .status",
          at.child("scale.labelSelectorPath"),
        )
      : []),
  ];
}

function validateScalePath(text: string, roots: readonly string[], where: string, at: FieldPath): FieldError[] {
  if (text === "") return [required(at)];
  const wrong = validateSimplePath(text, at);
  if (wrong.length > 0) return wrong;
  return roots.some((one) => text.startsWith(one)) ? [] : [invalid(at, text, `should be a json path ${where}`)];
}

function validateSimplePath(text: string, at: FieldPath): FieldError[] {
  return text.startsWith(".") ? [] : [invalid(at, text, "must be a simple json path starting with .")];
}

export function validateColumns(columns: readonly ColumnDefinition[], at: FieldPath): FieldError[] {
  return columns.flatMap((column, index) => validateColumn(column, at.index(index)));
}

function validateColumn({ name, type, format = "", jsonPath }: ColumnDefinition, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const oneOf = (all: readonly string[]) => `must be one of ${all.join(",")}`;
  if (name === "") errors.push(required(at.child("name")));
  if (type === "") errors.push(required(at.child("type"), oneOf(columnTypes)));
  else if (!columnTypes.includes(type)) errors.push(invalid(at.child("type"), type, oneOf(columnTypes)));
  if (format !== "" && !columnFormats.includes(format)) {
    errors.push(invalid(at.child("format"), format, oneOf(columnFormats)));
  }
  if (jsonPath === "") errors.push(required(at.child("JSONPath")));
  else errors.push(...validateSimplePath(jsonPath, at.child("JSONPath")));
  return errors;
}

const warningMax = 256;

export function validateDeprecation(deprecated: boolean, warning: string | undefined, at: FieldPath): FieldError[] {
  if (warning === undefined) return [];
  // Upstream prints it as JSON, since it hands over a pointer.
  const error = (why: string) => invalid(at, { toJSON: () => warning }, why);
  if (!deprecated) return [error("can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (utf8Length(warning) > warningMax) {
    errors.push(error(`must be <= ${warningMax} characters long`));
  }
  if (warning === "") errors.push(error("must not be an empty string"));
  const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(warning);
  if (hidden) {
    const at = utf8Length(warning.slice(0, hidden.index));
    errors.push(error(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`));
  }
  return errors;
}
