// Metadata in custom objects: that of the object itself, and of resources embedded in it (upstream: schema/objectmeta).
import type { ObjectMeta } from "../../k8s/api/meta-v1.ts";
import { type FieldError, type FieldPath, invalid, required, rootPath } from "../../k8s/field.ts";
import { dns1035Label, pathSegmentName } from "../../k8s/names.ts";
import { ApiError } from "../../k8s/status.ts";
import { validateMeta } from "../../k8s/validate-meta.ts";
import { decode } from "../decode.ts";
import { isObject, type JsonObject } from "../json-values.ts";
import { sortedCopy } from "../sorted-json.ts";
import { type SchemaNode, rootNode, schemaBelow } from "./node.ts";

const metaType = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

export interface DecodedMeta {
  readonly metadata: JsonObject;
  /** Paths of fields that metadata does not have. */
  readonly unknown: readonly string[];
}

/** Decodes metadata. Throws 400 if a field has the wrong type. */
export function decodeMeta(value: unknown, at = "metadata"): DecodedMeta {
  // Upstream encodes it as JSON first, so keys are read in sorted order.
  const { object, unknown } = decode(metaType, sortedCopy(value));
  // Decoding returns an object of this type.
  return { metadata: sortedCopy(object) as JsonObject, unknown: unknown.map((path) => `${at}.${path}`) };
}

/** Coerces the metadata of embedded resources. Changes the value; returns the paths of unknown fields. */
export function coerceEmbedded(value: unknown, node: SchemaNode | undefined, isRoot = false): string[] {
  const unknown: string[] = [];
  coerce(value, isRoot && node ? rootNode(node) : node, rootPath, unknown);
  return unknown.sort();
}

function coerce(value: unknown, node: SchemaNode | undefined, at: FieldPath, unknown: string[]): void {
  if (!node) return;
  if (Array.isArray(value)) {
    for (const [index, item] of (value as unknown[]).entries()) coerce(item, node.items(), at.index(index), unknown);
  } else if (isObject(value)) {
    if (node.isEmbedded) coerceResource(value, at, unknown);
    for (const name of Object.keys(value)) {
      const below = schemaBelow(node, name);
      const isField = node.property(name) !== undefined;
      coerce(value[name], below, isField ? at.child(name) : at.key(name), unknown);
    }
  }
}

function coerceResource(object: JsonObject, at: FieldPath, unknown: string[]): void {
  for (const name of ["apiVersion", "kind"]) {
    if (Object.hasOwn(object, name) && typeof object[name] !== "string") {
      throw refused(invalid(at.child(name), object[name], "must be a string"));
    }
  }
  if (!Object.hasOwn(object, "metadata")) return;
  const where = at.child("metadata");
  try {
    const meta = decodeMeta(object["metadata"], where.toString());
    unknown.push(...meta.unknown);
    object["metadata"] = meta.metadata;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw refused(invalid(where, sortedCopy(object["metadata"]), error.message));
  }
}

function refused({ field, message }: FieldError): ApiError {
  return ApiError.badRequest(`${field}: ${message}`);
}

/** Validates embedded resources. `isRoot`: the value itself is one. */
export function validateEmbedded(
  value: unknown,
  node: SchemaNode | undefined,
  isRoot = false,
  at: FieldPath = rootPath,
): FieldError[] {
  return check(value, isRoot && node ? rootNode(node) : node, at);
}

function check(value: unknown, node: SchemaNode | undefined, at: FieldPath): FieldError[] {
  if (!node) return [];
  if (Array.isArray(value)) {
    return (value as unknown[]).flatMap((item, index) => check(item, node.items(), at.index(index)));
  }
  if (!isObject(value)) return [];
  const errors = node.isEmbedded ? checkResource(value, at) : [];
  for (const name of Object.keys(value)) {
    const below = schemaBelow(node, name);
    if (below) errors.push(...check(value[name], below, node.property(name) ? at.child(name) : at.key(name)));
  }
  return errors;
}

function checkResource(object: JsonObject, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["apiVersion", "kind"]) {
    if (!Object.hasOwn(object, name)) errors.push(required(at.child(name)));
  }
  for (const [name, value] of Object.entries(object)) {
    if (name === "apiVersion") errors.push(...checkVersion(value, at.child(name)));
    if (name === "kind") errors.push(...checkKindName(value, at.child(name)));
    if (name === "metadata") errors.push(...checkMeta(value, at.child(name)));
  }
  return errors;
}

function checkVersion(value: unknown, at: FieldPath): FieldError[] {
  if (typeof value !== "string") return [invalid(at, value, "must be a string")];
  if (value === "") return [invalid(at, value, "must not be empty")];
  const wrong = value.split("/").length > 2;
  return wrong ? [invalid(at, value, `unexpected GroupVersion string: ${value}`)] : [];
}

function checkKindName(value: unknown, at: FieldPath): FieldError[] {
  if (typeof value !== "string") return [invalid(at, value, "must be a string")];
  if (value === "") return [invalid(at, value, "must not be empty")];
  const wrong = dns1035Label(value.toLowerCase());
  if (wrong.length === 0) return [];
  return [invalid(at, value, `may have mixed case, but should otherwise match: ${wrong.join(",")}`)];
}

function checkMeta(value: unknown, at: FieldPath): FieldError[] {
  try {
    // The canonical form of metadata.
    const meta = decodeMeta(value).metadata as ObjectMeta;
    // Upstream sets a name too, since a name is not required here.
    const named = { ...meta, name: meta.name || "fakename" };
    return validateMeta(named, Boolean(meta.namespace), pathSegmentName, at, { allowsAnyFinalizer: true });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [invalid(at, value, error.message)];
  }
}
