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

export class OwnerIndex {
  readonly #rows = new Map<string, Row>();
  readonly #byOwner = new Map<string, Map<string, Key>>();
  readonly #byIndexValue = new Map<string, Map<string, Key>>();

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
    for (const owner of owners) bucketOf(this.#byOwner, uidOf(owner)).set(text, key);
    if (indexValue !== "") bucketOf(this.#byIndexValue, `${key.resource}/${indexValue}`).set(text, key);
  }

  remove(key: Key): void {
    const text = keyText(key);
    const row = this.#rows.get(text);
    if (!row) return;
    this.#rows.delete(text);
    for (const owner of row.owners) removeFromBucket(this.#byOwner, uidOf(owner), text);
    if (row.indexValue !== "") removeFromBucket(this.#byIndexValue, `${key.resource}/${row.indexValue}`, text);
  }

  /** Returns the keys of the objects that name the owner; with `controllerOnly`, as their controller. */
  ownedBy(uid: string, controllerOnly: boolean): readonly Key[] {
    const keys = this.#byOwner.get(uid);
    if (!keys) return [];
    if (!controllerOnly) return [...keys.values()];
    return [...keys].filter(([text]) => this.#rows.get(text)?.owners.includes(`!${uid}`)).map(([, key]) => key);
  }

  byIndexValue(resource: string, indexValue: string): readonly Key[] {
    return [...(this.#byIndexValue.get(`${resource}/${indexValue}`)?.values() ?? [])];
  }
}

/** Removes the `!` that marks the controlling owner. */
function uidOf(owner: string): string {
  return owner.startsWith("!") ? owner.slice(1) : owner;
}

function bucketOf(map: Map<string, Map<string, Key>>, name: string): Map<string, Key> {
  const existing = map.get(name);
  if (existing) return existing;
  const created = new Map<string, Key>();
  map.set(name, created);
  return created;
}

function removeFromBucket(map: Map<string, Map<string, Key>>, name: string, text: string): void {
  const keys = map.get(name);
  keys?.delete(text);
  if (keys?.size === 0) map.delete(name);
}
