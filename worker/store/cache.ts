// Current objects, parsed and as their JSON text, bounded in the text's length; those not used for long go first.
import { Generations } from "../../shared/base/generations.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";

interface Entry {
  readonly object: KubeObject;
  readonly text: string;
}

/** The bound counts bytes of texts. */
export class ObjectCache {
  readonly #kept: Generations<string, Entry>;

  constructor(maxBytes: number) {
    this.#kept = new Generations(maxBytes, ({ text }) => text.length);
  }

  /** The text of what is kept under a key; undefined where nothing is. */
  textOf(key: string): string | undefined {
    return this.#kept.peek(key)?.text;
  }

  /** Whether what is kept under a key is this very object. */
  holds(key: string, object: KubeObject): boolean {
    return this.#kept.peek(key)?.object === object;
  }

  get(key: string): KubeObject | undefined {
    return this.#kept.get(key)?.object;
  }

  set(key: string, object: KubeObject, text: string): void {
    this.#kept.set(key, { object, text });
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }
}
