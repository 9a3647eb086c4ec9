// Correlates a value with its value before an update, so that unchanged values are not refused for what they already were (upstream:
// CorrelatedObject). The schema defines which items of two lists correspond.
import { equalJson, isObject } from "../json-values.ts";
import { type SchemaNode, schemaBelow } from "./node.ts";

export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #node: SchemaNode;
  readonly #below = new Map<string | number, Correlation>();
  #isEqual: boolean | undefined;
  #oldItems: ReadonlyMap<string, unknown> | undefined;

  constructor(node: SchemaNode, value: unknown, old: unknown) {
    this.#node = node;
    this.value = value;
    this.old = old;
  }

  /** Whether the value is unchanged. */
  get isEqual(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  /** Returns the correlation of a field; undefined if the field is absent in one of the values. */
  key(name: string): Correlation | undefined {
    const cached = this.#below.get(name);
    if (cached) return cached;
    if (!isObject(this.value) || !isObject(this.old)) return undefined;
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    const node = schemaBelow(this.#node, name);
    return node && this.#add(name, new Correlation(node, this.value[name], this.old[name]));
  }

  /** Returns the correlation of an item. Only items of map lists can be matched. */
  index(at: number): Correlation | undefined {
    const cached = this.#below.get(at);
    if (cached) return cached;
    const node = this.#node.items();
    if (!Array.isArray(this.value) || !Array.isArray(this.old) || this.#node.listType !== "map" || !node) {
      return undefined;
    }
    const keys = this.#node.props["x-kubernetes-list-map-keys"] ?? [];
    this.#oldItems ??= byKeys(this.old as unknown[], keys);
    const item: unknown = (this.value as unknown[])[at];
    const old = this.#oldItems.get(keyOf(item, keys));
    return old === undefined || old === null ? undefined : this.#add(at, new Correlation(node, item, old));
  }

  /** Compares maps and map lists field by field: fields that the schema does not declare count as changed. */
  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#node.listType !== "map") return equalJson(value, old);
      return value.every((_, at) => this.index(at)?.isEqual === true);
    }
    if (!isObject(value) || !isObject(old)) return equalJson(value, old);
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.isEqual === true);
  }

  #add(key: string | number, correlation: Correlation): Correlation {
    this.#below.set(key, correlation);
    return correlation;
  }
}

function byKeys(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const items = new Map<string, unknown>();
  for (const item of list) {
    const key = keyOf(item, keys);
    // The first of several items with the same key counts.
    if (isObject(item) && !items.has(key)) items.set(key, item);
  }
  return items;
}

function keyOf(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(isObject(item) ? keys.map((key) => item[key] ?? null) : null);
}
