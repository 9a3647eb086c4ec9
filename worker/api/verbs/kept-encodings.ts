// A cache of list items in protobuf, and of their lengths. The value of a revision never changes, so entries are never invalidated.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Store } from "../../store/store.ts";

/** The maximum number of cached lengths. One takes about 70 bytes. */
const lengthsMost = 20_000;

interface EncodedLength {
  readonly type: string;
  readonly length: number;
}

export class KeptEncodings {
  readonly #encodings = new BoundedCache<string, Uint8Array>(limits.keptEncodingBytes, (bytes) => bytes.length);
  /** The lengths by revision. They outlast the encodings, so that measuring a long list encodes none of its items. */
  readonly #lengths = new BoundedCache<number, EncodedLength>(lengthsMost);

  get(type: string, revision: number): Uint8Array | undefined {
    return this.#encodings.get(keyOf(type, revision));
  }

  lengthOf(type: string, revision: number): number | undefined {
    const encoded = this.#lengths.get(revision);
    return encoded?.type === type ? encoded.length : undefined;
  }

  set(type: string, revision: number, bytes: Uint8Array): void {
    this.#lengths.set(revision, { type, length: bytes.length });
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
