// Sets of fields, as managedFields hold them: a tree whose edges are path elements in their written form
// (`f:name`, `k:{"name":"x"}`, `v:"x"`, `i:0`). Sets are never changed once they are made.

export class FieldSet {
  /** Elements that are in the set themselves. */
  readonly members: ReadonlySet<string>;
  /** Elements below which something is in the set; none of them is empty. */
  readonly children: ReadonlyMap<string, FieldSet>;

  #json: Readonly<Record<string, unknown>> | undefined;

  private constructor(members: ReadonlySet<string>, children: ReadonlyMap<string, FieldSet>) {
    this.members = members;
    this.children = children;
  }

  static of(members: ReadonlySet<string>, children: ReadonlyMap<string, FieldSet>): FieldSet {
    return members.size === 0 && children.size === 0 ? empty : new FieldSet(members, children);
  }

  /** The set of one path. */
  static path([first = "", ...rest]: readonly string[]): FieldSet {
    if (rest.length === 0) return FieldSet.of(new Set([first]), new Map());
    return FieldSet.of(new Set(), new Map([[first, FieldSet.path(rest)]]));
  }

  static readonly empty = new FieldSet(new Set(), new Map());

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    const children = new Map(this.children);
    for (const [element, child] of other.children) children.set(element, children.get(element)?.union(child) ?? child);
    return FieldSet.of(new Set([...this.members, ...other.members]), children);
  }

  /** Returns the union of all sets. Each is walked once, however many there are. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    const [first = empty, second] = sets;
    if (second === undefined) return first;
    const members = new Set<string>();
    const childrenOf = new Map<string, FieldSet[]>();
    for (const set of sets) {
      for (const element of set.members) members.add(element);
      for (const [element, child] of set.children) {
        const children = childrenOf.get(element);
        if (children) children.push(child);
        else childrenOf.set(element, [child]);
      }
    }
    return FieldSet.of(
      members,
      new Map([...childrenOf].map(([element, children]) => [element, FieldSet.unionOf(children)])),
    );
  }

  /** What is in this set and not in the other. */
  difference(other: FieldSet): FieldSet {
    return this.#less(other, false);
  }

  /** The same, but a member of the other takes all that is below it along. */
  without(other: FieldSet): FieldSet {
    return this.#less(other, true);
  }

  /** Where nothing is taken away it is the same set: of most writes that is so of nearly all its parts. */
  #less(other: FieldSet, takesAlong: boolean): FieldSet {
    if (other.isEmpty || this.isEmpty) return this;
    // Copied when the first is taken away.
    let members: Set<string> | undefined;
    let children: Map<string, FieldSet> | undefined;
    // The smaller side is walked.
    for (const element of this.members.size < other.members.size ? this.members : other.members) {
      if (this.members.has(element) && other.members.has(element)) (members ??= new Set(this.members)).delete(element);
    }
    if (takesAlong) {
      for (const element of this.children.size < other.members.size ? this.children.keys() : other.members) {
        if (this.children.has(element) && other.members.has(element))
          (children ??= new Map(this.children)).delete(element);
      }
    }
    const isSmaller = this.children.size < other.children.size;
    for (const element of isSmaller ? this.children.keys() : other.children.keys()) {
      const child = (children ?? this.children).get(element);
      const theirs = other.children.get(element);
      if (!theirs) continue;
      const rest = takesAlong ? child?.without(theirs) : child?.difference(theirs);
      if (!rest || rest === child) continue;
      children ??= new Map(this.children);
      if (rest.isEmpty) children.delete(element);
      else children.set(element, rest);
    }
    return members || children ? FieldSet.of(members ?? this.members, children ?? this.children) : this;
  }

  intersection(other: FieldSet): FieldSet {
    const members = new Set([...this.members].filter((element) => other.members.has(element)));
    const children = new Map<string, FieldSet>();
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const both = theirs ? child.intersection(theirs) : empty;
      if (!both.isEmpty) children.set(element, both);
    }
    return FieldSet.of(members, children);
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const element of this.members) if (!other.members.has(element)) return false;
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (!theirs || !child.equals(theirs)) return false;
    }
    return true;
  }

  has(path: readonly string[]): boolean {
    const [first = "", ...rest] = path;
    return rest.length === 0 ? this.members.has(first) : this.children.get(first)?.has(rest) === true;
  }

  /** Every path in the set; those that end here come before those that go on. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    for (const element of inOrder(this.members)) yield [...prefix, element];
    for (const element of inOrder(this.children.keys())) {
      yield* this.children.get(element)?.paths([...prefix, element]) ?? [];
    }
  }

  /** `fieldsV1`, frozen all through: made once, and shared by whoever shows it. */
  toJson(): Readonly<Record<string, unknown>> {
    this.#json ??= this.#newJson();
    return this.#json;
  }

  #newJson(): Readonly<Record<string, unknown>> {
    const json: Record<string, unknown> = {};
    const elements = this.children.size === 0 ? this.members : new Set([...this.members, ...this.children.keys()]);
    for (const element of inOrder(elements)) {
      const below = this.children.get(element)?.toJson();
      if (!below) json[element] = emptyJson;
      else json[element] = this.members.has(element) ? Object.freeze({ ".": emptyJson, ...below }) : below;
    }
    return Object.freeze(json);
  }

  /** Undefined where the value is no `fieldsV1`. */
  static fromJson(json: unknown): FieldSet | undefined {
    if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
    const members = new Set<string>();
    const children = new Map<string, FieldSet>();
    for (const [element, below] of Object.entries(json)) {
      if (element === ".") continue;
      if (element[1] !== ":") return undefined;
      // One of a kind that is yet to come.
      if (!/^[fkvi]/.test(element)) continue;
      const child = FieldSet.fromJson(below);
      if (!child) return undefined;
      if (child.isEmpty || Object.hasOwn(below as object, ".")) members.add(element);
      if (!child.isEmpty) children.set(element, child);
    }
    return FieldSet.of(members, children);
  }
}

const empty = FieldSet.empty;
const emptyJson = Object.freeze({});
/** The members and the children of sets that have none. */
const nothing: ReadonlySet<string> = new Set();
const nowhere: ReadonlyMap<string, FieldSet> = new Map();

/** Fields by name, then items by key, by value and by index, as upstream writes them. */
function inOrder(elements: Iterable<string>): string[] {
  const all = [...elements];
  if (all.length < 2) return all;
  return all.sort((a, b) => {
    // Nearly all are fields.
    if (a[0] === "f" && b[0] === "f") return a < b ? -1 : 1;
    return rank(a) - rank(b) || byText(a, b);
  });
}

function rank(element: string): number {
  return "fkvi".indexOf(element[0] ?? "");
}

/** By text, but numbers (those of keys) by their value. */
function byText(a: string, b: string): number {
  const [left, right] = [numberAtDifference(a, b), numberAtDifference(b, a)];
  if (left !== undefined && right !== undefined) return left - right;
  return a < b ? -1 : 1;
}

/** The number in which a text differs first from another, if it is one. */
function numberAtDifference(text: string, other: string): number | undefined {
  if (!text.startsWith("k:")) return undefined;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  const start = text.lastIndexOf(":", at) + 1;
  const digits = /^\d+/.exec(text.slice(start))?.[0];
  return digits !== undefined && at <= start + digits.length ? Number(digits) : undefined;
}

/** Collects paths while a value is walked. Nothing is made for what stays empty, which is most of it. */
export class FieldSetBuilder {
  #members: Set<string> | undefined;
  #children: Map<string, FieldSetBuilder> | undefined;
  readonly #above: { readonly builder: FieldSetBuilder; readonly element: string } | undefined;

  constructor(above?: { readonly builder: FieldSetBuilder; readonly element: string }) {
    this.#above = above;
  }

  add(element: string): void {
    if (!this.#members) {
      this.#members = new Set();
      this.#join();
    }
    this.#members.add(element);
  }

  below(element: string): FieldSetBuilder {
    return this.#children?.get(element) ?? new FieldSetBuilder({ builder: this, element });
  }

  build(): FieldSet {
    const members = this.#members ?? nothing;
    if (!this.#children) return FieldSet.of(members, nowhere);
    const children = new Map<string, FieldSet>();
    for (const [element, child] of this.#children) {
      const built = child.build();
      if (!built.isEmpty) children.set(element, built);
    }
    return FieldSet.of(members, children);
  }

  /** Its parent knows of it from now on. */
  #join(): void {
    if (!this.#above) return;
    const { builder, element } = this.#above;
    if (builder.#children?.get(element) === this) return;
    if (!builder.#children) {
      builder.#children = new Map();
      builder.#join();
    }
    builder.#children.set(element, this);
  }
}

/** A path as messages show it: `.spec.containers[name="web"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}

function elementText(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("v:")) return `[=${rest}]`;
  if (element.startsWith("i:")) return `[${rest}]`;
  // The element was written by elementOf.
  const keys = JSON.parse(rest) as Record<string, unknown>;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")}]`;
}
