// The annotation of client-side apply, which server-side apply by kubectl reads and updates.
import { utf8Length } from "../../base/utf8.ts";
import { isObject, type JsonObject } from "../json-values.ts";
import { compare } from "./compare.ts";
import type { FieldSet } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";
import type { Write } from "./managers.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
/** Upstream's limit for all annotations of an object. */
const annotationsBytes = 256 * 1024;

/** Returns the fields that client-side apply set and nobody changed since. kubectl takes these over without a conflict. */
export function clientApplied({ shape, live, writer }: Write): FieldSet | undefined {
  const annotation = annotationsOf(live)[lastApplied];
  if (typeof annotation !== "string" || annotation === "") return undefined;
  const last = parsed(annotation);
  if (!isObject(last) || last["apiVersion"] !== writer.apiVersion) return undefined;
  const changes = compare(shape, last, live);
  return fieldsOf(shape, last).difference(changes.modified).difference(changes.added).difference(changes.removed);
}

/** Updates the annotation if it exists, so that its users can go back to client-side apply. Nobody comes to own the annotation by that. */
export function withLastApplied(object: unknown, config: object): unknown {
  const annotations = annotationsOf(object);
  if (!isObject(object) || !annotations[lastApplied]) return object;
  const next = { ...annotations, [lastApplied]: `${goJson(withoutAnnotation(config))}\n` };
  const { [lastApplied]: _, ...rest } = next;
  return {
    ...object,
    metadata: { ...metadataOf(object), annotations: sizeOf(next) > annotationsBytes ? rest : next },
  };
}

function withoutAnnotation(config: object): object {
  const { annotations, ...metadata } = metadataOf(config);
  if (annotations === undefined) return config;
  if (!isObject(annotations)) return { ...config, metadata };
  const { [lastApplied]: _, ...rest } = annotations;
  return { ...config, metadata: { ...metadata, annotations: rest } };
}

function metadataOf(object: unknown): JsonObject {
  const metadata = isObject(object) ? object["metadata"] : undefined;
  return isObject(metadata) ? metadata : {};
}

function annotationsOf(object: unknown): JsonObject {
  const { annotations } = metadataOf(object);
  return isObject(annotations) ? annotations : {};
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + utf8Length(key) + utf8Length(String(value)),
    0,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Encodes JSON like Go, with sorted keys and with escapes for HTML. */
function goJson(value: unknown): string {
  const sorted = (_: string, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item;
  return JSON.stringify(value, sorted).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
