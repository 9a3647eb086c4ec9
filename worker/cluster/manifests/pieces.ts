// The objects in a piece of a long text, as they are stored until they are written.
import { limits } from "../../../shared/base/limits.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import type { ManifestPiece } from "../../../shared/schema/yaml/pieces/piece.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { readYaml, type YamlDocument } from "../../../shared/schema/yaml/read.ts";
import type { ReceivedObject } from "../../store/received-objects.ts";
import { givenOf, rankOf } from "./imported-object.ts";
import { isList } from "./manifests.ts";
import { ManifestError, refusedKeys, refusedText } from "./refusal.ts";

/** Returns the objects; none for an empty document. Throws `ManifestError` if the piece is malformed or an object is too large. */
export function objectsOfPiece(piece: ManifestPiece): ReceivedObject[] {
  const { line, document, item } = piece;
  const { value, duplicates } = readPiece(piece);
  if (duplicates.length > 0) throw refusedKeys(document, line - 1, duplicates);
  const objects = item === undefined && isList(value) ? value.items : [value];
  return objects.flatMap((object) => (object === null ? [] : [receivedObject(object, piece)]));
}

function receivedObject(value: unknown, { line, document }: ManifestPiece): ReceivedObject {
  const maxBytes = limits.objectBytes;
  const object = withoutManagedFields(value);
  const text = isWithin(object, maxBytes) ? JSON.stringify(object) : undefined;
  if (text === undefined || utf8Length(text) > maxBytes) {
    const error = new ApiError(413, "RequestEntityTooLarge", `an object must not have more than ${maxBytes} bytes`);
    throw new ManifestError(error, error.message, { document, line, message: error.message });
  }
  const source = givenOf(object);
  return { rank: rankOf(source), uid: source.uid, text };
}

/** Managed fields are half of an export, and are written anew. */
function withoutManagedFields(value: unknown): unknown {
  if (!isObject(value) || !isObject(value["metadata"])) return value;
  const { managedFields: _, ...metadata } = value["metadata"];
  return { ...value, metadata };
}

function readPiece({ text, line, document, isRest }: ManifestPiece): YamlDocument {
  try {
    return readJson(text) ?? readYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refusedText(document, new YamlError(error.message, isRest ? line : line - 1 + (error.line ?? 1)));
  }
}

/** Parses JSON, which is faster than to parse it as YAML. Returns undefined if the parser of YAML must find the problem. */
function readJson(text: string): YamlDocument | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const { value, duplicates } = parseJson(text);
    return duplicates.length === 0 ? { value, duplicates: [] } : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Reports whether the texts of a value have at most so many characters together. Aliases repeat a text that is in memory once. */
function isWithin(value: unknown, maxCharacters: number): boolean {
  let left = maxCharacters;
  const visit = (inner: unknown): boolean => {
    if (typeof inner === "string") left -= inner.length;
    if (left < 0 || typeof inner !== "object" || inner === null) return left >= 0;
    for (const key in inner) {
      left -= key.length;
      if (!visit((inner as Readonly<Record<string, unknown>>)[key])) return false;
    }
    return true;
  };
  return visit(value);
}
