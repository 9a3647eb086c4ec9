// The keys of one Redis server: values of five types, each with the time of its expiry.

export type Value =
  | { readonly type: "string"; readonly text: string }
  | { readonly type: "list"; readonly items: readonly string[] }
  | { readonly type: "hash"; readonly fields: ReadonlyMap<string, string> }
  | { readonly type: "set"; readonly members: ReadonlySet<string> }
  | { readonly type: "zset"; readonly scores: ReadonlyMap<string, number> };

/** An error with the server's message. */
export class RedisError extends Error {}

export const wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";

interface StoredValue {
  readonly value: Value;
  readonly goneMs: number;
}

const never = Number.POSITIVE_INFINITY;

export class Keys {
  readonly #databases = new Map<number, Map<string, StoredValue>>();
  #map: Map<string, StoredValue>;
  /** The present time. */
  nowMs = 0;

  constructor() {
    this.#map = this.#of(0);
  }

  #of(database: number): Map<string, StoredValue> {
    const map = this.#databases.get(database) ?? new Map<string, StoredValue>();
    this.#databases.set(database, map);
    return map;
  }

  /** Copies the keys, so that the copy can be changed independently. Values are never changed in place. */
  copy(): Keys {
    const copy = new Keys();
    for (const [database, map] of this.#databases) copy.#databases.set(database, new Map(map));
    copy.#map = copy.#of(0);
    copy.nowMs = this.nowMs;
    return copy;
  }

  /** Selects the database for the following calls. */
  select(database: number): void {
    this.#map = this.#of(database);
  }

  #live(key: string): StoredValue | undefined {
    const stored = this.#map.get(key);
    if (!stored || stored.goneMs > this.nowMs) return stored;
    this.#map.delete(key);
    return undefined;
  }

  get(key: string): Value | undefined {
    return this.#live(key)?.value;
  }

  /** Returns the value of a type. Throws `RedisError` if the value has another type. */
  of<Type extends Value["type"]>(key: string, type: Type): Extract<Value, { readonly type: Type }> | undefined {
    const value = this.get(key);
    if (value && value.type !== type) throw new RedisError(wrongType);
    // The type was compared.
    return value as Extract<Value, { readonly type: Type }> | undefined;
  }

  /** Stores a value. Without `goneMs` the expiry remains. Empty values are deleted. */
  set(key: string, value: Value, goneMs = this.goneMs(key)): void {
    if (isEmpty(value)) this.#map.delete(key);
    else this.#map.set(key, { value, goneMs });
  }

  delete(key: string): boolean {
    const isThere = this.#live(key) !== undefined;
    this.#map.delete(key);
    return isThere;
  }

  /** Returns the time of expiry; Infinity if there is none. */
  goneMs(key: string): number {
    return this.#live(key)?.goneMs ?? never;
  }

  names(): string[] {
    return [...this.#map.keys()].filter((key) => this.#live(key) !== undefined);
  }

  clear(isAll: boolean): void {
    if (isAll) for (const map of this.#databases.values()) map.clear();
    else this.#map.clear();
  }

  /** Returns the databases that have keys, with the numbers of keys and of expiring keys. */
  sizes(): (readonly [database: number, keys: number, expiring: number])[] {
    const before = this.#map;
    const counts = [...this.#databases].map(([database, map]) => {
      this.#map = map;
      const names = this.names();
      return [database, names.length, names.filter((key) => this.goneMs(key) !== never).length] as const;
    });
    this.#map = before;
    return counts.filter(([, keys]) => keys > 0).sort(([a], [b]) => a - b);
  }

  /** Returns the commands that recreate all keys, each with its database. */
  commands(): (readonly [database: number, words: readonly string[]])[] {
    const before = this.#map;
    const allCommands = [...this.#databases].flatMap(([database, map]) => {
      this.#map = map;
      return this.names().flatMap((key) => {
        const value = this.get(key);
        const goneMs = this.goneMs(key);
        const valueCommands = value ? making(key, value) : [];
        const ends = goneMs === never ? [] : [["PEXPIREAT", key, String(goneMs)]];
        return [...valueCommands, ...ends].map((words) => [database, words] as const);
      });
    });
    this.#map = before;
    return allCommands;
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
