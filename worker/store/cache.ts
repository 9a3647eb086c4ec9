// Parsed current objects, bounded in bytes of their JSON text; the least recently used go first.
import type { KubeObject } from "../../shared/k8s/meta.ts";

export class ObjectCache {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, { object: KubeObject; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): KubeObject | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // A Map iterates in order of insertion: putting it in again makes it the youngest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.object;
  }

  set(key: string, object: KubeObject, bytes: number): void {
    this.delete(key);
    this.#entries.set(key, { object, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
