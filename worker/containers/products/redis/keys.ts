// The keys of one server of Redis: values of five types, with the moment at which each is gone.

export type Value =
  | { readonly type: "string"; readonly text: string }
  | { readonly type: "list"; readonly items: readonly string[] }
  | { readonly type: "hash"; readonly fields: ReadonlyMap<string, string> }
  | { readonly type: "set"; readonly members: ReadonlySet<string> }
  | { readonly type: "zset"; readonly scores: ReadonlyMap<string, number> };

/** A failure in the server's words. */
export class RedisError extends Error {}

export const wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";

interface Kept {
  readonly value: Value;
  readonly goneMs: number;
}

const never = Number.POSITIVE_INFINITY;

export class Keys {
  readonly #databases = new Map<number, Map<string, Kept>>();
  #map: Map<string, Kept>;
  /** What counts as now. */
  nowMs = 0;

  constructor() {
    this.#map = this.#of(0);
  }

  #of(database: number): Map<string, Kept> {
    const found = this.#databases.get(database) ?? new Map<string, Kept>();
    this.#databases.set(database, found);
    return found;
  }

  /** Returns the same keys, to be changed apart from these; values are never changed in place. */
  copy(): Keys {
    const copy = new Keys();
    for (const [database, map] of this.#databases) copy.#databases.set(database, new Map(map));
    copy.#map = copy.#of(0);
    copy.nowMs = this.nowMs;
    return copy;
  }

  /** The database that is meant from now on. */
  select(database: number): void {
    this.#map = this.#of(database);
  }

  #live(key: string): Kept | undefined {
    const found = this.#map.get(key);
    if (!found || found.goneMs > this.nowMs) return found;
    this.#map.delete(key);
    return undefined;
  }

  get(key: string): Value | undefined {
    return this.#live(key)?.value;
  }

  /** The value, where it is of that type; throws `RedisError` where it is of another. */
  of<Type extends Value["type"]>(key: string, type: Type): Extract<Value, { readonly type: Type }> | undefined {
    const found = this.get(key);
    if (found && found.type !== type) throw new RedisError(wrongType);
    // The type was compared.
    return found as Extract<Value, { readonly type: Type }> | undefined;
  }

  /** Without `goneMs` it is gone when it was to be gone before. What is empty is not kept. */
  set(key: string, value: Value, goneMs = this.goneMs(key)): void {
    if (isEmpty(value)) this.#map.delete(key);
    else this.#map.set(key, { value, goneMs });
  }

  delete(key: string): boolean {
    const isThere = this.#live(key) !== undefined;
    this.#map.delete(key);
    return isThere;
  }

  /** Infinity: it stays. */
  goneMs(key: string): number {
    return this.#live(key)?.goneMs ?? never;
  }

  names(): string[] {
    return [...this.#map.keys()].filter((key) => this.#live(key) !== undefined);
  }

  clear(isAll: boolean): void {
    if (isAll) for (const one of this.#databases.values()) one.clear();
    else this.#map.clear();
  }

  /** Numbers of databases that have keys, and how many each has. */
  sizes(): (readonly [database: number, keys: number, expiring: number])[] {
    const before = this.#map;
    const found = [...this.#databases].map(([database, map]) => {
      this.#map = map;
      const names = this.names();
      return [database, names.length, names.filter((key) => this.goneMs(key) !== never).length] as const;
    });
    this.#map = before;
    return found.filter(([, keys]) => keys > 0).sort(([a], [b]) => a - b);
  }

  /** Commands that make all of it, each with its database. */
  commands(): (readonly [database: number, words: readonly string[]])[] {
    const before = this.#map;
    const found = [...this.#databases].flatMap(([database, map]) => {
      this.#map = map;
      return this.names().flatMap((key) => {
        const value = this.get(key);
        const goneMs = this.goneMs(key);
        const own = value ? making(key, value) : [];
        const ends = goneMs === never ? [] : [["PEXPIREAT", key, String(goneMs)]];
        return [...own, ...ends].map((words) => [database, words] as const);
      });
    });
    this.#map = before;
    return found;
  }
}

function isEmpty(value: Value): boolean {
  if (value.type === "list") return value.items.length === 0;
  if (value.type === "hash") return value.fields.size === 0;
  if (value.type === "set") return value.members.size === 0;
  return value.type === "zset" && value.scores.size === 0;
}

function making(key: string, value: Value): readonly (readonly string[])[] {
  if (value.type === "string") return [["SET", key, value.text]];
  if (value.type === "list") return [["RPUSH", key, ...value.items]];
  if (value.type === "hash") return [["HSET", key, ...[...value.fields].flat()]];
  if (value.type === "set") return [["SADD", key, ...value.members]];
  return [["ZADD", key, ...[...value.scores].flatMap(([member, score]) => [String(score), member])]];
}
