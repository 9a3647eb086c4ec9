// A cache of current objects, parsed and as JSON text. Bounded in characters of text; evicts the least recently used.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";

interface Entry {
  readonly object: KubeObject;
  readonly text: string;
}

export class ObjectCache {
  readonly #entries: BoundedCache<string, Entry>;

  constructor(maxBytes: number) {
    this.#entries = new BoundedCache(maxBytes, ({ text }) => text.length);
  }

  /** Returns the JSON text of a cached object; undefined if the key is not cached. */
  textOf(key: string): string | undefined {
    return this.#entries.peek(key)?.text;
  }

  /** Reports whether the cache holds this instance under the key. */
  holds(key: string, object: KubeObject): boolean {
    return this.#entries.peek(key)?.object === object;
  }

  get(key: string): KubeObject | undefined {
    return this.#entries.get(key)?.object;
  }

  /** Returns an object without marking it as used. */
  peek(key: string): KubeObject | undefined {
    return this.#entries.peek(key)?.object;
  }

  set(key: string, object: KubeObject, text: string): void {
    this.#entries.set(key, { object, text });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
