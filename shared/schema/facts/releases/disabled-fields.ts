// The fields that a release has, but whose feature gate is off. They are dropped from writes, unless the object had them before.
import { isObject } from "../../json-values.ts";
import { typeOf } from "../../graph.ts";
import type { KubeObject } from "../../../k8s/meta.ts";

/** Names of fields from the root; `items` steps into every item of a list or map. */
export type FieldPath = readonly string[];

const items = "*";

/** Returns the disabled fields of a type. */
export function disabledFieldsOf(type: string, isEnabled: (gate: string) => boolean): readonly FieldPath[] {
  const paths: FieldPath[] = [];
  collect(type, isEnabled, [], new Set(), paths);
  return paths;
}

function collect(
  type: string,
  isEnabled: (gate: string) => boolean,
  path: FieldPath,
  containers: ReadonlySet<string>,
  paths: FieldPath[],
): void {
  const within = new Set([...containers, type]);
  for (const { json, facts, form, shape, type: fieldType } of typeOf(type)?.fields ?? []) {
    const here = [...path, json];
    if (facts.gate !== undefined && !isEnabled(facts.gate)) paths.push(here);
    // A type that contains itself has no disabled fields.
    else if (form === "struct" && !within.has(fieldType))
      collect(fieldType, isEnabled, shape === "one" ? here : [...here, items], within, paths);
  }
}

/** Removes the disabled fields that the previous object does not have. */
export function dropDisabledFields(
  paths: readonly FieldPath[],
  draft: KubeObject,
  previous: KubeObject | undefined,
): void {
  for (const path of paths) if (!previous || !hasField(previous, path, 0)) dropField(draft, path, 0);
}

function hasField(value: unknown, path: FieldPath, at: number): boolean {
  const step = path[at];
  if (step === undefined) return value !== undefined;
  if (step === items) return valuesOf(value).some((item) => hasField(item, path, at + 1));
  return isObject(value) && hasField(value[step], path, at + 1);
}

function dropField(value: unknown, path: FieldPath, at: number): void {
  const step = path[at] ?? "";
  if (step === items) for (const item of valuesOf(value)) dropField(item, path, at + 1);
  else if (isObject(value)) {
    if (at === path.length - 1) delete value[step];
    else dropField(value[step], path, at + 1);
  }
}

function valuesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}
