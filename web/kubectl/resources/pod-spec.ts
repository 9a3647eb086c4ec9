// The pod spec of whatever has one.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { at, objectAt } from "../object.ts";
import { podTemplatePath } from "./references.ts";

/** Undefined where the object has none. */
export function podSpecOf(object: JsonObject): JsonObject | undefined {
  const path = object.kind === "Pod" ? ["spec"] : [...(podTemplatePath(object) ?? []), "spec"];
  if (object.kind !== "Pod" && !podTemplatePath(object)) return undefined;
  const spec = at(object, ...path);
  return isObject(spec) ? spec : undefined;
}

export function podTemplateOf(object: JsonObject): JsonObject {
  return objectAt(object, ...(podTemplatePath(object) ?? []));
}

/** Whether a container's name is meant: `*` stands for any letters. */
export function isNamed(name: string, wanted: string): boolean {
  const parts = wanted.split("*");
  if (parts.length === 1) return name === wanted;
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return true;
}
