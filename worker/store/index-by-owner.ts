// An index of objects by owner and by index value (for pods: their node). Built from small columns on first use after a start, updated by
// each commit, never stored.

export interface Key {
  /** GroupResource as text: `deployments.apps`. */
  readonly resource: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export function keyText({ resource, namespace, name }: Key): string {
  return `${resource}/${namespace}/${name}`;
}

export interface IndexedRow extends Key {
  /** The UIDs of all owners, as in `IndexValues` of store.ts. The controlling owner's has the prefix `!`. */
  readonly owners: readonly string[];
  readonly indexValue: string;
}

interface Row {
  readonly key: Key;
  readonly owners: readonly string[];
  readonly indexValue: string;
}

/** Keys in the order of their texts. So a list does not depend on whether the index was built or updated. */
class OrderedKeys {
  #keys = new Map<string, Key>();
  /** The last added text, as long as all were added in order. Undefined: the order is restored by the next read. */
  #last: string | undefined = "";

  get size(): number {
    return this.#keys.size;
  }

  add(text: string, key: Key): void {
    this.#keys.set(text, key);
    this.#last = this.#last !== undefined && this.#last < text ? text : undefined;
  }

  delete(text: string): void {
    this.#keys.delete(text);
  }

  entries(): readonly (readonly [string, Key])[] {
    const entries = [...this.#keys];
    if (this.#last !== undefined) return entries;
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#keys = new Map(entries);
    this.#last = entries.at(-1)?.[0] ?? "";
    return entries;
  }
}

export class OwnerIndex {
  readonly #rows = new Map<string, Row>();
  readonly #byOwner = new Map<string, OrderedKeys>();
  readonly #byIndexValue = new Map<string, OrderedKeys>();

  static build(rows: readonly IndexedRow[]): OwnerIndex {
    const index = new OwnerIndex();
    for (const { resource, namespace, name, owners, indexValue } of rows) {
      index.put({ resource, namespace, name }, owners, indexValue);
    }
    return index;
  }

  put(key: Key, owners: readonly string[], indexValue: string): void {
    const text = keyText(key);
    const old = this.#rows.get(text);
    if (old && old.indexValue === indexValue && old.owners.join(" ") === owners.join(" ")) return;
    if (old) this.remove(key);
    if (owners.length === 0 && indexValue === "") return;
    this.#rows.set(text, { key, owners, indexValue });
    for (const owner of owners) bucketOf(this.#byOwner, uidOf(owner)).add(text, key);
    if (indexValue !== "") bucketOf(this.#byIndexValue, `${key.resource}/${indexValue}`).add(text, key);
  }

  remove(key: Key): void {
    const text = keyText(key);
    const row = this.#rows.get(text);
    if (!row) return;
    this.#rows.delete(text);
    for (const owner of row.owners) removeFromBucket(this.#byOwner, uidOf(owner), text);
    if (row.indexValue !== "") removeFromBucket(this.#byIndexValue, `${key.resource}/${row.indexValue}`, text);
  }

  /** Returns the keys of the objects that name the owner; with `controllerOnly`, as their controller. In the order of their texts. */
  ownedBy(uid: string, controllerOnly: boolean): readonly Key[] {
    const entries = this.#byOwner.get(uid)?.entries() ?? [];
    const owned = controllerOnly
      ? entries.filter(([text]) => this.#rows.get(text)?.owners.includes(`!${uid}`))
      : entries;
    return owned.map(([, key]) => key);
  }

  byIndexValue(resource: string, indexValue: string): readonly Key[] {
    return (this.#byIndexValue.get(`${resource}/${indexValue}`)?.entries() ?? []).map(([, key]) => key);
  }
}

/** Removes the `!` that marks the controlling owner. */
function uidOf(owner: string): string {
  return owner.startsWith("!") ? owner.slice(1) : owner;
}

function bucketOf(map: Map<string, OrderedKeys>, name: string): OrderedKeys {
  const existing = map.get(name);
  if (existing) return existing;
  const created = new OrderedKeys();
  map.set(name, created);
  return created;
}

function removeFromBucket(map: Map<string, OrderedKeys>, name: string, text: string): void {
  const keys = map.get(name);
  keys?.delete(text);
  if (keys?.size === 0) map.delete(name);
}
