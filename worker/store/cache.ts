// Current objects, parsed and as their JSON text, bounded in the text's length; those not used for long go first.
import type { KubeObject } from "../../shared/k8s/meta.ts";

interface Entry {
  readonly object: KubeObject;
  readonly text: string;
}

/**
 * Two generations: what is used while old becomes young again, and when the young ones fill half of the bound, they become the old
 * ones and the old ones go. So reading what is young, which is nearly all there is, costs no more than a look-up.
 */
export class ObjectCache {
  readonly #maxBytes: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #youngBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The text of what is kept under a key; undefined where nothing is. */
  textOf(key: string): string | undefined {
    return this.#entry(key)?.text;
  }

  /** Whether what is kept under a key is this very object. */
  holds(key: string, object: KubeObject): boolean {
    return this.#entry(key)?.object === object;
  }

  get(key: string): KubeObject | undefined {
    const young = this.#young.get(key);
    if (young) return young.object;
    const old = this.#old.get(key);
    if (!old) return undefined;
    this.set(key, old.object, old.text);
    return old.object;
  }

  set(key: string, object: KubeObject, text: string): void {
    this.delete(key);
    this.#young.set(key, { object, text });
    this.#youngBytes += text.length;
    if (this.#youngBytes <= this.#maxBytes / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }

  delete(key: string): void {
    this.#youngBytes -= this.#young.get(key)?.text.length ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #entry(key: string): Entry | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }
}
