// What is always written although it was not given: an empty list, for storage keeps none, and a pointer are null.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { type Field, typeOf } from "../../../shared/schema/graph.ts";
import type { Kind } from "../../kinds/kind.ts";

/** The object as it is shown; the very same where nothing of that is in it. */
export function withNulls<T extends object>(kind: Kind, object: T): T {
  if (kind.custom || kind.computed) return object;
  const places = placesOf(kind.type);
  // It stays the same type to whoever only writes it down.
  return places ? (shown(places, object) as T) : object;
}

/** Whether a text of a stored object may have to be shown otherwise. */
export function mayHaveNulls(kind: Kind, text: string): boolean {
  if (kind.custom || text === "") return false;
  const places = placesOf(kind.type);
  if (!places) return false;
  // A search is as fast as its first character is rare: in JSON that is no quote and no colon.
  return text.includes("[]") || places.pointers.some((one) => mayLack(one, text));
}

/** A pointer that is always written, and the field whose struct has it. */
interface Pointer {
  readonly holder: string;
  readonly name: string;
}

/** Texts of which this is false are sent as they are stored, so it looks at names alone. A `spec` is in nearly all of them. */
function mayLack({ holder, name }: Pointer, text: string): boolean {
  if (holder === "" || holder === "spec") return !text.includes(`"${name}":`);
  return text.includes(`${holder.slice(Math.max(holder.search(/[A-Z]/), 0))}":`);
}

/** Where such fields are, in a struct and below it. */
interface Places {
  readonly fields: readonly Field[];
  readonly kept: readonly Field[];
  readonly below: readonly { readonly field: Field; readonly places: Places }[];
  readonly pointers: readonly Pointer[];
}

const known = new Map<string, Places | undefined>();

function placesOf(type: string): Places | undefined {
  if (known.has(type)) return known.get(type);
  // Of a type within itself there is nothing to say: schemas alone are such.
  known.set(type, undefined);
  const fields = typeOf(type)?.fields ?? [];
  const kept = fields.filter(({ isKept, isPointer, shape }) => isKept && (isPointer || shape !== "one"));
  const below = fields.flatMap((field) => {
    const places = field.form === "struct" ? placesOf(field.type) : undefined;
    return places ? [{ field, places }] : [];
  });
  const own = kept.filter(({ isPointer }) => isPointer).map(({ json }) => ({ holder: "", name: json }));
  const inner = below.flatMap(({ field, places }) =>
    places.pointers.map((one) => (one.holder === "" ? { ...one, holder: field.json } : one)),
  );
  const places = kept.length + below.length > 0 ? { fields, kept, below, pointers: [...own, ...inner] } : undefined;
  known.set(type, places);
  return places;
}

function shown(places: Places, value: unknown): unknown {
  if (!isObject(value)) return value;
  const changed = new Map<string, unknown>();
  for (const field of places.kept) if (isNull(field, value[field.json])) changed.set(field.json, null);
  for (const { field, places: inner } of places.below) {
    const before = value[field.json];
    const after = shownField(field, inner, before);
    if (after !== before) changed.set(field.json, after);
  }
  return changed.size > 0 ? inOrder(places, value, changed) : value;
}

function isNull({ isPointer, shape }: Field, value: unknown): boolean {
  if (isPointer) return value === undefined;
  if (shape === "list") return Array.isArray(value) && value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function shownField({ shape }: Field, places: Places, value: unknown): unknown {
  if (value === undefined || shape === "one") return shown(places, value);
  if (shape === "list") return Array.isArray(value) ? shownItems(places, value) : value;
  if (!isObject(value)) return value;
  const items = Object.entries(value).map(([key, item]) => [key, shown(places, item)] as const);
  return items.some(([key, item]) => item !== value[key]) ? Object.fromEntries(items) : value;
}

function shownItems(places: Places, items: readonly unknown[]): readonly unknown[] {
  const after = items.map((item) => shown(places, item));
  return after.some((item, at) => item !== items[at]) ? after : items;
}

/** A copy with what changed, each field where its struct has it. */
function inOrder({ fields }: Places, value: JsonObject, changed: ReadonlyMap<string, unknown>): JsonObject {
  const copy: JsonObject = {};
  for (const { json } of fields) {
    if (changed.has(json)) copy[json] = changed.get(json);
    else if (value[json] !== undefined) copy[json] = value[json];
  }
  return copy;
}
