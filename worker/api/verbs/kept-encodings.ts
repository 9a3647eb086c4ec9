// Objects of lists in protobuf, kept for the next list: what stands under a revision never changes, so that nothing is ever taken back.
import { Generations } from "../../../shared/base/generations.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Store } from "../../store/store.ts";

export class KeptEncodings {
  readonly #kept = new Generations<string, Uint8Array>(limits.keptEncodingBytes, (bytes) => bytes.length);

  get(type: string, revision: number): Uint8Array | undefined {
    return this.#kept.get(keyOf(type, revision));
  }

  set(type: string, revision: number, bytes: Uint8Array): void {
    if (bytes.length <= limits.keptEncodingBytesEach) this.#kept.set(keyOf(type, revision), bytes);
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
