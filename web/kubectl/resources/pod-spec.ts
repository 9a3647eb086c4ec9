// The pod spec of an object, if it has one.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { at } from "../object.ts";
import { podTemplatePath } from "./references.ts";

/** Returns undefined if the object has no pod spec. */
export function podSpecOf(object: JsonObject): JsonObject | undefined {
  const path = object.kind === "Pod" ? ["spec"] : [...(podTemplatePath(object) ?? []), "spec"];
  if (object.kind !== "Pod" && !podTemplatePath(object)) return undefined;
  const spec = at(object, ...path);
  return isObject(spec) ? spec : undefined;
}

/** Reports whether a container's name matches a pattern, in which `*` matches any letters. */
export function isNamed(name: string, pattern: string): boolean {
  const pieces = pattern.split("*");
  if (pieces.length === 1) return name === pattern;
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const index = name.indexOf(piece, from);
    if (index < 0) return false;
    from = index + piece.length;
  }
  return true;
}
