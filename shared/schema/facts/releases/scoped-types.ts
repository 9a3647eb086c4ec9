// The facts of a type by name. A name with a mark, `io.k8s.api.core.v1.PodSpec@1.33`, is the type as an older release has it; a name without
// one is the newest. So a schema of an older release is a schema of other types, and nothing that reads types has to know releases.
import { type FieldFacts, typeFacts } from "../../type-facts.ts";

/** The types of an older release. */
export interface TypeScope {
  /** Returns the name with its mark, if the type or one that it contains differs in the release. */
  qualify(name: string): string;
  fields(name: string): readonly FieldFacts[] | undefined;
  enumValues(name: string): readonly string[] | undefined;
}

const mark = "@";
const scopes = new Map<string, TypeScope>();
// The generated JSON has this form; TypeScript infers a union of a thousand literal shapes.
const types = typeFacts.types as unknown as Readonly<Record<string, { readonly fields: readonly FieldFacts[] }>>;
const enums: Readonly<Record<string, readonly string[]>> = typeFacts.enums;

/** Adds the types of a release, so that names with its mark are found. */
export function addScope(version: string, scope: TypeScope): void {
  scopes.set(version, scope);
}

export function scopedName(name: string, version: string): string {
  return name + mark + version;
}

/** Returns a name without its mark. */
export function plainName(name: string): string {
  const at = name.indexOf(mark);
  return at < 0 ? name : name.slice(0, at);
}

/** Returns the fields of a type; undefined if there is no such type. */
export function fieldFactsOf(name: string): readonly FieldFacts[] | undefined {
  if (Object.hasOwn(types, name)) return types[name]?.fields;
  return scopeOf(name)?.fields(plainName(name));
}

export function enumValuesOf(name: string): readonly string[] | undefined {
  return enums[name] ?? scopeOf(name)?.enumValues(plainName(name));
}

function scopeOf(name: string): TypeScope | undefined {
  const at = name.indexOf(mark);
  return at < 0 ? undefined : scopes.get(name.slice(at + 1));
}
