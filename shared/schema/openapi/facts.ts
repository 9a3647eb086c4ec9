// The facts of the API's types, in the form that OpenAPI documents need.
import { enumValuesOf, fieldFactsOf } from "../facts/releases/scoped-types.ts";
import { type FieldFacts, typeFacts } from "../type-facts.ts";

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

interface Facts {
  readonly kinds: readonly (GroupVersionKind & { readonly type: string })[];
}

// The generated JSON has this form; TypeScript infers a union of a thousand literal shapes.
const facts = typeFacts as unknown as Facts;

export function isType(name: string): boolean {
  return fieldFactsOf(name) !== undefined;
}

/** Returns a type's fields, including those of inlined types, each with the type that declares it. */
export function fieldsOf(type: string): { readonly owner: string; readonly field: FieldFacts & { json: string } }[] {
  return (fieldFactsOf(type) ?? []).flatMap((field) => {
    if (field.inline) return fieldsOf(field.inline);
    return field.json ? [{ owner: type, field: { ...field, json: field.json } }] : [];
  });
}

export function enumValues(name: string): readonly string[] | undefined {
  return enumValuesOf(name);
}

export function kindsOfType(type: string): GroupVersionKind[] {
  return facts.kinds
    .filter((served) => served.type === type)
    .map(({ group, version, kind }) => ({ group, version, kind }));
}

/** Returns the type of a kind; undefined if the facts do not have it. */
export function typeOfKind({ group, version, kind }: GroupVersionKind): string | undefined {
  return facts.kinds.find((served) => served.group === group && served.version === version && served.kind === kind)
    ?.type;
}

/** Returns every group version with kinds of its own. DeleteOptions and WatchEvent belong to all of them. */
export function allGroupVersions(): GroupVersion[] {
  const groupVersions = new Map<string, GroupVersion>();
  for (const { group, version } of facts.kinds) {
    if (group !== "meta.k8s.io") groupVersions.set(`${group}/${version}`, { group, version });
  }
  return [...groupVersions.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
