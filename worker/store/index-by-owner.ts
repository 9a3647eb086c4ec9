// The derived index: who is owned by whom, and which objects share a facet (pods: their node). Built on first use after
// waking from the small columns, kept by each commit, never stored.
import type { Sql } from "./sql.ts";

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

interface Row {
  readonly key: Key;
  readonly owners: readonly string[];
  readonly facet: string;
}

export class OwnerIndex {
  readonly #rows = new Map<string, Row>();
  readonly #byOwner = new Map<string, Map<string, Key>>();
  readonly #byFacet = new Map<string, Map<string, Key>>();

  static build(sql: Sql): OwnerIndex {
    const index = new OwnerIndex();
    const rows = sql.all<Key & { owners: string; facet: string }>(
      "SELECT resource, namespace, name, owners, facet FROM objects WHERE owners <> '' OR facet <> ''",
    );
    for (const { resource, namespace, name, owners, facet } of rows) {
      index.put({ resource, namespace, name }, owners === "" ? [] : owners.split(" "), facet);
    }
    return index;
  }

  put(key: Key, owners: readonly string[], facet: string): void {
    const text = keyText(key);
    const old = this.#rows.get(text);
    if (old && old.facet === facet && old.owners.join(" ") === owners.join(" ")) return;
    if (old) this.remove(key);
    if (owners.length === 0 && facet === "") return;
    this.#rows.set(text, { key, owners, facet });
    for (const owner of owners) bucket(this.#byOwner, uidOf(owner)).set(text, key);
    if (facet !== "") bucket(this.#byFacet, `${key.resource}/${facet}`).set(text, key);
  }

  remove(key: Key): void {
    const text = keyText(key);
    const row = this.#rows.get(text);
    if (!row) return;
    this.#rows.delete(text);
    for (const owner of row.owners) drop(this.#byOwner, uidOf(owner), text);
    if (row.facet !== "") drop(this.#byFacet, `${key.resource}/${row.facet}`, text);
  }

  ownedBy(uid: string, controller: boolean): readonly Key[] {
    const keys = this.#byOwner.get(uid);
    if (!keys) return [];
    if (!controller) return [...keys.values()];
    return [...keys].filter(([text]) => this.#rows.get(text)?.owners.includes(`!${uid}`)).map(([, key]) => key);
  }

  byFacet(resource: string, facet: string): readonly Key[] {
    return [...(this.#byFacet.get(`${resource}/${facet}`)?.values() ?? [])];
  }
}

/** The controlling owner is marked with `!` before its uid. */
function uidOf(owner: string): string {
  return owner.startsWith("!") ? owner.slice(1) : owner;
}

function bucket(map: Map<string, Map<string, Key>>, name: string): Map<string, Key> {
  const found = map.get(name);
  if (found) return found;
  const made = new Map<string, Key>();
  map.set(name, made);
  return made;
}

function drop(map: Map<string, Map<string, Key>>, name: string, text: string): void {
  const keys = map.get(name);
  keys?.delete(text);
  if (keys?.size === 0) map.delete(name);
}
