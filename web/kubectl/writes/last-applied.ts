// The annotation in which `kubectl apply` keeps what it applied last.
import { type JsonObject, copyJson, isObject } from "../../../shared/schema/json-values.ts";
import { ensure, stringsAt } from "../object.ts";
import { compactJson, escapeHtml } from "../print/json.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The object without the annotation, as one line of JSON. */
export function configurationOf(object: JsonObject): string {
  const copy = copyJson(object);
  delete ensure(copy, "metadata", "annotations")[lastAppliedAnnotation];
  return `${compactJson(copy)}\n`;
}

/** Returns the configuration as it is in a file, without the annotations that `configurationOf` adds, as `set-last-applied` stores it. */
export function fileConfigurationOf(object: JsonObject): string {
  return `${compactJson(object)}\n`;
}

/** `order` is that of the fields of an object that a command made itself. */
export function setLastApplied(object: JsonObject, order?: (object: JsonObject) => JsonObject): void {
  const text = order ? `${escapeHtml(JSON.stringify(order(object)))}\n` : configurationOf(object);
  ensure(object, "metadata", "annotations")[lastAppliedAnnotation] = text;
}

/** Where the annotation is there already, or is wanted. */
export function keepLastApplied(
  object: JsonObject,
  isWanted: boolean,
  order?: (object: JsonObject) => JsonObject,
): void {
  if (isWanted || lastApplied(object) !== undefined) setLastApplied(object, order);
}

export function lastApplied(object: JsonObject): string | undefined {
  return stringsAt(object, "metadata", "annotations")[lastAppliedAnnotation];
}

export function parseConfiguration(text: string | undefined): JsonObject {
  if (!text) return {};
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
