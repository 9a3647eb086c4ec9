// Restores fields that Go encodes as null if they are not set: empty lists, which are not stored, and pointers.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { type Field, typeOf } from "../../../shared/schema/graph.ts";
import type { Kind } from "../../kinds/kind.ts";

/** Returns the object for a response. Returns the same instance if there are no such fields. */
export function withNulls<T extends object>(kind: Kind, object: T): T {
  if (kind.custom || kind.computed) return object;
  const places = placesOf(kind.scopedType ?? kind.type);
  // The additional nulls do not matter to code that only encodes the object.
  return places ? (withNullFields(places, object) as T) : object;
}

/** Reports whether a stored text may need such fields. */
export function mayHaveNulls(kind: Kind, text: string): boolean {
  if (kind.custom || text === "") return false;
  const places = placesOf(kind.scopedType ?? kind.type);
  if (!places) return false;
  // A search is fast if its first character is rare, and quotes and colons are frequent in JSON.
  return text.includes("[]") || places.pointers.some((pointer) => mayLack(pointer, text));
}

/** A pointer that is always encoded, and the field that holds its struct. */
interface Pointer {
  readonly holder: string;
  readonly name: string;
}

/**
 * Reports whether a text may lack the pointer. Only names are checked: texts without such fields are sent as stored, and nearly all have a
 * `spec`.
 */
function mayLack({ holder, name }: Pointer, text: string): boolean {
  if (holder === "" || holder === "spec") return !text.includes(`"${name}":`);
  return text.includes(`${holder.slice(Math.max(holder.search(/[A-Z]/), 0))}":`);
}

/** The positions of such fields in a struct and below it. */
interface Places {
  readonly fields: readonly Field[];
  readonly alwaysEncoded: readonly Field[];
  readonly below: readonly { readonly field: Field; readonly places: Places }[];
  readonly pointers: readonly Pointer[];
}

const placesByType = new Map<string, Places | undefined>();

function placesOf(type: string): Places | undefined {
  if (placesByType.has(type)) return placesByType.get(type);
  // Recursive types (schemas) have no such fields.
  placesByType.set(type, undefined);
  const fields = typeOf(type)?.fields ?? [];
  const alwaysEncoded = fields.filter(
    ({ isKept, isPointer, shape, facts }) => facts.nullIfUnset === true || (isKept && (isPointer || shape !== "one")),
  );
  const below = fields.flatMap((field) => {
    const places = field.form === "struct" ? placesOf(field.type) : undefined;
    return places ? [{ field, places }] : [];
  });
  const ownPointers = alwaysEncoded
    .filter(({ isPointer, shape }) => isPointer || shape === "one")
    .map(({ json }) => ({ holder: "", name: json }));
  const inner = below.flatMap(({ field, places }) =>
    places.pointers.map((pointer) => (pointer.holder === "" ? { ...pointer, holder: field.json } : pointer)),
  );
  const places =
    alwaysEncoded.length + below.length > 0
      ? { fields, alwaysEncoded, below, pointers: [...ownPointers, ...inner] }
      : undefined;
  placesByType.set(type, places);
  return places;
}

function withNullFields(places: Places, value: unknown): unknown {
  if (!isObject(value)) return value;
  const changed = new Map<string, unknown>();
  for (const field of places.alwaysEncoded) if (isNull(field, value[field.json])) changed.set(field.json, null);
  for (const { field, places: inner } of places.below) {
    const before = value[field.json];
    const after = shownField(field, inner, before);
    if (after !== before) changed.set(field.json, after);
  }
  return changed.size > 0 ? inOrder(places, value, changed) : value;
}

function isNull({ isPointer, shape }: Field, value: unknown): boolean {
  if (isPointer || shape === "one") return value === undefined;
  if (shape === "list") return Array.isArray(value) && value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function shownField({ shape }: Field, places: Places, value: unknown): unknown {
  if (value === undefined || shape === "one") return withNullFields(places, value);
  if (shape === "list") return Array.isArray(value) ? shownItems(places, value) : value;
  if (!isObject(value)) return value;
  const items = Object.entries(value).map(([key, item]) => [key, withNullFields(places, item)] as const);
  return items.some(([key, item]) => item !== value[key]) ? Object.fromEntries(items) : value;
}

function shownItems(places: Places, items: readonly unknown[]): readonly unknown[] {
  const after = items.map((item) => withNullFields(places, item));
  return after.some((item, at) => item !== items[at]) ? after : items;
}

/** Returns a copy with the changed values, with the field order of the struct. */
function inOrder({ fields }: Places, value: JsonObject, changed: ReadonlyMap<string, unknown>): JsonObject {
  const copy: JsonObject = {};
  for (const { json } of fields) {
    if (changed.has(json)) copy[json] = changed.get(json);
    else if (value[json] !== undefined) copy[json] = value[json];
  }
  return copy;
}
