// Objects of lists in protobuf, kept for the next list: what stands under a revision never changes, so that nothing is ever taken back.
import { limits } from "../../../shared/base/limits.ts";
import type { Store } from "../../store/store.ts";

/**
 * Two generations, as the store's cache of objects has them: when the young ones fill half of the bound they become the old ones, and the
 * old ones go.
 */
export class KeptEncodings {
  #young = new Map<string, Uint8Array>();
  #old = new Map<string, Uint8Array>();
  #bytes = 0;

  get(type: string, revision: number): Uint8Array | undefined {
    const key = keyOf(type, revision);
    const young = this.#young.get(key);
    if (young) return young;
    const old = this.#old.get(key);
    if (old) this.#put(key, old);
    return old;
  }

  set(type: string, revision: number, bytes: Uint8Array): void {
    if (bytes.length <= limits.keptEncodingBytesEach) this.#put(keyOf(type, revision), bytes);
  }

  #put(key: string, bytes: Uint8Array): void {
    this.#old.delete(key);
    this.#young.set(key, bytes);
    this.#bytes += bytes.length;
    if (this.#bytes <= limits.keptEncodingBytes / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#bytes = 0;
  }
}

function keyOf(type: string, revision: number): string {
  return `${revision} ${type}`;
}

const byStore = new WeakMap<Store, KeptEncodings>();

export function keptEncodings(store: Store): KeptEncodings {
  const known = byStore.get(store);
  if (known) return known;
  const made = new KeptEncodings();
  byStore.set(store, made);
  return made;
}
