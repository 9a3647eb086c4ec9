// The variables or functions of a shell by name. A subshell begins with those of the outer shell, and changes its own.
import { charge, heapBytes, hold, type Metered } from "./meter.ts";

/** Bytes of a name beside its text and its value. */
const nameBytes = 64;
const namesPerUnit = 8;
/** Maps that are shared with a job: they are copied before they are changed. */
const lent = new WeakSet<object>();

export class Names<Value> {
  readonly #owner: Metered;
  #values: Map<string, Value>;
  /** Whether nothing was changed yet, so that the map is that of the outer shell, which waits meanwhile. */
  #isBorrowed: boolean;
  /** Names that this shell has set. The outer shell holds the memory of their previous values. */
  readonly #own = new Set<string>();
  /** The number of changes. */
  changes = 0;

  constructor(owner: Metered, values: Map<string, Value> = new Map(), isBorrowed = false) {
    this.#owner = owner;
    this.#values = values;
    this.#isBorrowed = isBorrowed;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get size(): number {
    return this.#values.size;
  }

  set(name: string, value: Value): void {
    this.#take();
    const before = this.#own.has(name) ? bytesOf(this.#values.get(name)) : -name.length - nameBytes;
    hold(this.#owner, bytesOf(value) - before);
    this.#own.add(name);
    this.changes++;
    this.#values.set(name, value);
  }

  delete(name: string): boolean {
    if (!this.#values.has(name)) return false;
    this.#take();
    if (this.#own.delete(name)) hold(this.#owner, -bytesOf(this.#values.get(name)) - name.length - nameBytes);
    return this.#values.delete(name);
  }

  /** Returns the names of a subshell, which must end before this shell changes again. */
  inside(owner: Metered = this.#owner): Names<Value> {
    return new Names(owner, this.#values, true);
  }

  /** Returns the names of a background job: neither sees later changes of the other. */
  beside(owner: Metered): Names<Value> {
    lent.add(this.#values);
    return this.inside(owner);
  }

  /** Returns a copy for a shell that runs at the same time. */
  copy(owner: Metered): Names<Value> {
    charge(owner, this.#values.size / namesPerUnit);
    hold(owner, this.#values.size * nameBytes);
    return new Names(owner, new Map(this.#values));
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.#values.entries();
  }

  #take(): void {
    if (!this.#isBorrowed && !lent.has(this.#values)) return;
    charge(this.#owner, this.#values.size / namesPerUnit);
    if (this.#isBorrowed) hold(this.#owner, this.#values.size * nameBytes);
    this.#values = new Map(this.#values);
    this.#isBorrowed = false;
  }
}

/** Returns the memory of a value. Functions count when they are parsed. */
function bytesOf(value: unknown): number {
  return typeof value === "string" ? heapBytes(value) : 0;
}
