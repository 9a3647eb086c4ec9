// A binary min-heap.

export class Heap<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #items: T[] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return top;
    items[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let smallest = at;
      if (left < items.length && this.#before(left, smallest)) smallest = left;
      if (right < items.length && this.#before(right, smallest)) smallest = right;
      if (smallest === at) return top;
      this.#swap(at, smallest);
      at = smallest;
    }
  }

  #before(a: number, b: number): boolean {
    const [x, y] = [this.#items[a], this.#items[b]];
    return x !== undefined && y !== undefined && this.#compare(x, y) < 0;
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#items[a], this.#items[b]];
    if (x === undefined || y === undefined) return;
    this.#items[a] = y;
    this.#items[b] = x;
  }
}
