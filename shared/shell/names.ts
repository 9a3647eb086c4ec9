// What a shell knows by name: its variables, its functions. A shell inside another begins with what that one has, and changes its own.
import { charge, heapBytes, hold, type Metered } from "./meter.ts";

/** What a name takes beside its text and its value. */
const nameBytes = 64;
const namesPerUnit = 8;
/** Values that a job began with: whoever changes them takes a copy first. */
const lent = new WeakSet<object>();

export class Names<Value> {
  readonly #owner: Metered;
  #values: Map<string, Value>;
  /** Nothing was changed yet: the values are those of the shell around it, which waits meanwhile. */
  #isBorrowed: boolean;
  /** Set here: what was there before is held by the shell around. */
  readonly #own = new Set<string>();
  /** How often something was set. */
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

  /** For a shell inside; it must be done before this one changes again. */
  inside(owner: Metered = this.#owner): Names<Value> {
    return new Names(owner, this.#values, true);
  }

  /** For a shell beside this one: neither sees what the other changes from then on. */
  beside(owner: Metered): Names<Value> {
    lent.add(this.#values);
    return this.inside(owner);
  }

  /** For a shell that runs at the same time. */
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

/** What functions take is counted as they are read. */
function bytesOf(value: unknown): number {
  return typeof value === "string" ? heapBytes(value) : 0;
}
