// `--sort-by`: sorts objects and rows by the value of a path.
import { compareQuantities, parseQuantity } from "../../../shared/k8s/quantity.ts";
import { newTemplate } from "./json-path.ts";

/** `{.a.b}` of `a.b`, `.a.b`, `{a.b}` and `{.a.b}`. */
export function relaxedPath(text: string): string {
  if (text === "") return text;
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(text);
  if (match) return `{.${match[1] ?? match[2] ?? ""}}`;
  throw new Error(
    "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
  );
}

/** Returns a sorted copy. Throws if no object has the field. */
export function sortBy<T>(items: readonly T[], path: string, objectOf: (item: T) => unknown): T[] {
  if (items.length === 0) return [];
  const field = relaxedPath(path);
  const template = newTemplate(field);
  const keyed = items.map((item) => ({ item, key: template.results(objectOf(item))[0]?.[0] }));
  if (keyed.every(({ key }) => key === undefined)) {
    throw new Error(`couldn't find any field with path ${JSON.stringify(field)} in the list of objects`);
  }
  return keyed.sort((a, b) => order(a.key, b.key)).map(({ item }) => item);
}

function order(a: unknown, b: unknown): number {
  if (a === undefined || a === null) return b === undefined || b === null ? 0 : -1;
  if (b === undefined || b === null) return 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== "string" || typeof b !== "string") return 0;
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  if (left && right) return compareQuantities(left, right);
  return a < b ? -1 : a > b ? 1 : 0;
}
