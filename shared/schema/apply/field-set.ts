// Sets of fields as managedFields encode them: a tree whose edges are path elements in their written form (`f:name`, `k:{"name":"x"}`,
// `v:"x"`, `i:0`). Sets are immutable.

export class FieldSet {
  /** Elements that are themselves in the set. */
  readonly members: ReadonlySet<string>;
  /** Elements that have descendants in the set. No child is empty. */
  readonly children: ReadonlyMap<string, FieldSet>;

  #json: Readonly<Record<string, unknown>> | undefined;

  private constructor(members: ReadonlySet<string>, children: ReadonlyMap<string, FieldSet>) {
    this.members = members;
    this.children = children;
  }

  static of(members: ReadonlySet<string>, children: ReadonlyMap<string, FieldSet>): FieldSet {
    return members.size === 0 && children.size === 0 ? empty : new FieldSet(members, children);
  }

  static path([first = "", ...rest]: readonly string[]): FieldSet {
    if (rest.length === 0) return FieldSet.of(new Set([first]), new Map());
    return FieldSet.of(new Set(), new Map([[first, FieldSet.path(rest)]]));
  }

  static readonly empty = new FieldSet(new Set(), new Map());

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  union(fields: FieldSet): FieldSet {
    if (fields.isEmpty || fields === this) return this;
    if (this.isEmpty) return fields;
    const children = new Map(this.children);
    for (const [element, child] of fields.children) children.set(element, children.get(element)?.union(child) ?? child);
    return FieldSet.of(new Set([...this.members, ...fields.members]), children);
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

  /** Returns the fields that the given set does not have. */
  difference(fields: FieldSet): FieldSet {
    return this.#less(fields, false);
  }

  /** Returns the difference, in which a member of the given set also removes everything below it. */
  without(fields: FieldSet): FieldSet {
    return this.#less(fields, true);
  }

  /** Subtracts a set. Returns this set if nothing is removed, as most writes do for nearly all children. */
  #less(fields: FieldSet, takesAlong: boolean): FieldSet {
    if (fields.isEmpty || this.isEmpty) return this;
    // The sets are copied when the first element is removed.
    let members: Set<string> | undefined;
    let children: Map<string, FieldSet> | undefined;
    // Iterates over the smaller set.
    for (const element of this.members.size < fields.members.size ? this.members : fields.members) {
      if (this.members.has(element) && fields.members.has(element)) (members ??= new Set(this.members)).delete(element);
    }
    if (takesAlong) {
      for (const element of this.children.size < fields.members.size ? this.children.keys() : fields.members) {
        if (this.children.has(element) && fields.members.has(element))
          (children ??= new Map(this.children)).delete(element);
      }
    }
    const isSmaller = this.children.size < fields.children.size;
    for (const element of isSmaller ? this.children.keys() : fields.children.keys()) {
      const child = (children ?? this.children).get(element);
      const theirs = fields.children.get(element);
      if (!theirs) continue;
      const rest = takesAlong ? child?.without(theirs) : child?.difference(theirs);
      if (!rest || rest === child) continue;
      children ??= new Map(this.children);
      if (rest.isEmpty) children.delete(element);
      else children.set(element, rest);
    }
    return members || children ? FieldSet.of(members ?? this.members, children ?? this.children) : this;
  }

  intersection(fields: FieldSet): FieldSet {
    const members = new Set([...this.members].filter((element) => fields.members.has(element)));
    const children = new Map<string, FieldSet>();
    for (const [element, child] of this.children) {
      const theirs = fields.children.get(element);
      const both = theirs ? child.intersection(theirs) : empty;
      if (!both.isEmpty) children.set(element, both);
    }
    return FieldSet.of(members, children);
  }

  equals(fields: FieldSet): boolean {
    if (this === fields) return true;
    if (this.members.size !== fields.members.size || this.children.size !== fields.children.size) return false;
    for (const element of this.members) if (!fields.members.has(element)) return false;
    for (const [element, child] of this.children) {
      const theirs = fields.children.get(element);
      if (!theirs || !child.equals(theirs)) return false;
    }
    return true;
  }

  has(path: readonly string[]): boolean {
    const [first = "", ...rest] = path;
    return rest.length === 0 ? this.members.has(first) : this.children.get(first)?.has(rest) === true;
  }

  /** Yields every path in the set. A path comes before longer paths that begin with it. */
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    for (const element of inOrder(this.members)) yield [...prefix, element];
    for (const element of inOrder(this.children.keys())) {
      yield* this.children.get(element)?.paths([...prefix, element]) ?? [];
    }
  }

  /** Returns `fieldsV1`. The value is deeply frozen, encoded once and shared. */
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

  /** Decodes `fieldsV1`. Returns undefined if the value is not valid. */
  static fromJson(json: unknown): FieldSet | undefined {
    if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
    const members = new Set<string>();
    const children = new Map<string, FieldSet>();
    for (const [element, below] of Object.entries(json)) {
      if (element === ".") continue;
      if (element[1] !== ":") return undefined;
      // An element of an unknown kind, which a future version may add.
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
/** The members and children of sets that have none. */
const nothing: ReadonlySet<string> = new Set();
const nowhere: ReadonlyMap<string, FieldSet> = new Map();

/** Sorts like upstream: fields by name, then items by key, by value and by index. */
function inOrder(elements: Iterable<string>): string[] {
  const all = [...elements];
  if (all.length < 2) return all;
  return all.sort((a, b) => {
    // Nearly all elements are fields.
    if (a[0] === "f" && b[0] === "f") return a < b ? -1 : 1;
    return rank(a) - rank(b) || byText(a, b);
  });
}

function rank(element: string): number {
  return "fkvi".indexOf(element[0] ?? "");
}

/** Compares by text, but numbers in keys by their value. */
function byText(a: string, b: string): number {
  const [left, right] = [numberAtDifference(a, b), numberAtDifference(b, a)];
  if (left !== undefined && right !== undefined) return left - right;
  return a < b ? -1 : 1;
}

/** Returns the number in a key at which two texts first differ, if there is one. */
function numberAtDifference(text: string, otherText: string): number | undefined {
  if (!text.startsWith("k:")) return undefined;
  let at = 0;
  while (at < text.length && text[at] === otherText[at]) at++;
  const start = text.lastIndexOf(":", at) + 1;
  const digits = /^\d+/.exec(text.slice(start))?.[0];
  return digits !== undefined && at <= start + digits.length ? Number(digits) : undefined;
}

/** Collects paths while a value is walked. Sets that stay empty, as most do, are never allocated. */
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

  /** Adds this set to its parent. */
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

/** Formats a path as messages show it: `.spec.containers[name="web"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}

function elementText(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("v:")) return `[=${rest}]`;
  if (element.startsWith("i:")) return `[${rest}]`;
  // `elementOf` wrote the element.
  const keys = JSON.parse(rest) as Record<string, unknown>;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")}]`;
}
