// Writers of the fields that gnostic's messages of both OpenAPI versions share.
import { type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Writes the fields of a message. */
export type Fields = (writer: BinaryWriter) => void;

/** Writes `x-kubernetes-…` fields. */
export function extensions(writer: BinaryWriter, field: number, of: object): void {
  for (const [name, value] of Object.entries(of)) {
    if (name.startsWith("x-") && value !== undefined) named(writer, field, name, anyValue(value));
  }
}

/** Writes an Any, which contains YAML. JSON is valid YAML. */
export const anyValue =
  (value: unknown): Fields =>
  (writer) =>
    text(writer, 2, JSON.stringify(value));

export function named(writer: BinaryWriter, field: number, name: string, value: Fields): void {
  message(writer, field, (entry) => {
    text(entry, 1, name);
    message(entry, 2, value);
  });
}

export function message(writer: BinaryWriter, field: number, fields: Fields): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  fields(writer);
  writer.join();
}

export function text(writer: BinaryWriter, field: number, value: string | undefined): void {
  if (value) writer.tag(field, WireType.LengthDelimited).string(value);
}

export function flag(writer: BinaryWriter, field: number, value: boolean | undefined): void {
  if (value) writer.tag(field, WireType.Varint).bool(true);
}
