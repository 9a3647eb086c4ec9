// The annotation in which `kubectl apply` stores the last applied configuration.
import { type JsonObject, copyJson, isObject } from "../../../shared/schema/json-values.ts";
import { ensure, stringsAt } from "../object.ts";
import { compactJson, escapeHtml } from "../print/json.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns the object without the annotation as one line of JSON. As in kubectl, `metadata.annotations` is present, even if empty. */
export function configurationOf(object: JsonObject): string {
  const copy = copyJson(object);
  delete ensure(copy, "metadata", "annotations")[lastAppliedAnnotation];
  return `${compactJson(copy)}\n`;
}

/** Returns the object as it is in a file, as `set-last-applied` stores it. Unlike `configurationOf`, adds no empty `annotations`. */
export function fileConfigurationOf(object: JsonObject): string {
  return `${compactJson(object)}\n`;
}

/**
 * Sets the annotation. `order` sorts the fields of an object that a command built: kubectl encodes such an object by its Go type, which
 * escapes HTML. A new object has no annotation that would have to be removed first.
 */
export function setLastApplied(object: JsonObject, order?: (object: JsonObject) => JsonObject): void {
  const text = order ? `${escapeHtml(JSON.stringify(order(object)))}\n` : configurationOf(object);
  ensure(object, "metadata", "annotations")[lastAppliedAnnotation] = text;
}

/** Updates the annotation if it exists or `--save-config` is given. */
export function keepLastApplied(
  object: JsonObject,
  isRequested: boolean,
  order?: (object: JsonObject) => JsonObject,
): void {
  if (isRequested || lastApplied(object) !== undefined) setLastApplied(object, order);
}

export function lastApplied(object: JsonObject): string | undefined {
  return stringsAt(object, "metadata", "annotations")[lastAppliedAnnotation];
}

export function parseConfiguration(text: string | undefined): JsonObject {
  if (!text) return {};
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
