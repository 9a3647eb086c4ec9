// A cache of list items in protobuf. The value of a revision never changes, so entries are never invalidated.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Store } from "../../store/store.ts";

export class KeptEncodings {
  readonly #encodings = new BoundedCache<string, Uint8Array>(limits.keptEncodingBytes, (bytes) => bytes.length);

  get(type: string, revision: number): Uint8Array | undefined {
    return this.#encodings.get(keyOf(type, revision));
  }

  set(type: string, revision: number, bytes: Uint8Array): void {
    if (bytes.length <= limits.keptEncodingBytesEach) this.#encodings.set(keyOf(type, revision), bytes);
  }
}

function keyOf(type: string, revision: number): string {
  return `${revision} ${type}`;
}

const byStore = new WeakMap<Store, KeptEncodings>();

export function keptEncodings(store: Store): KeptEncodings {
  const existing = byStore.get(store);
  if (existing) return existing;
  const created = new KeptEncodings();
  byStore.set(store, created);
  return created;
}
