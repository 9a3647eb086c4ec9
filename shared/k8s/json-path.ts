// The subset of Kubernetes' JSONPath for printer columns and selectable fields. A missing field yields nothing.

type Step =
  | { readonly form: "field"; readonly name: string }
  | { readonly form: "all" }
  | { readonly form: "deep" }
  | { readonly form: "items"; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly form: "union"; readonly names: readonly (string | number)[] }
  | { readonly form: "filter"; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined };

type Operand = { readonly path: readonly Step[] } | { readonly value: unknown };

type Filter = Extract<Step, { form: "filter" }>;
type Slice = Extract<Step, { form: "items" }>;

/** Charges the work of the steps of a path. May throw, which ends the search. */
type Pay = (work: number) => void;

export interface JsonPath {
  /** Returns the first value that the path leads to; undefined if there is none. */
  first(value: unknown, pay: Pay): unknown;
}

/** Parses a path. Returns undefined if the text is not one. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const reader = new Reader(text.startsWith("$") ? text.slice(1) : text);
  const steps = reader.steps();
  if (!steps || !reader.isDone) return undefined;
  return { first: (value, pay) => firstOf(steps, 0, value, pay) };
}

/** The limit of nested filters. Each takes a nested call of the parser. */
const maxDepth = 50;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  steps(): Step[] | undefined {
    const steps: Step[] = [];
    while (!this.isDone) {
      const match = this.#take(/\.\.|\.|\[/y);
      if (!match) return steps;
      if (match === "..") steps.push({ form: "deep" });
      const step = match === "[" ? this.#bracket() : this.#dotted(match === "..");
      if (step === null) return undefined;
      if (step) steps.push(step);
    }
    return steps;
  }

  /** Parses a name after a dot; returns undefined if the dot stands alone. */
  #dotted(isDeep: boolean): Step | null | undefined {
    if (this.#take(/\*/y)) return { form: "all" };
    const name = this.#take(/(?:\\.|[^.[\]\\\s,()<>=!|&+"'?@{}])+/y);
    if (name !== undefined) return { form: "field", name: name.replaceAll(/\\(.)/g, "$1") };
    return isDeep && this.#text[this.#at] !== "[" ? null : undefined;
  }

  #bracket(): Step | null {
    const filter = this.#take(/\?\(/y);
    if (filter) return this.#filter();
    const inner = this.#take(/(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]'"])*/y) ?? "";
    if (!this.#take(/\]/y)) return null;
    return bracketStep(inner.trim());
  }

  #filter(): Step | null {
    if (++this.#depth > maxDepth) return null;
    const step = this.#condition();
    this.#depth--;
    return step;
  }

  #condition(): Step | null {
    const left = this.#operand();
    if (!left) return null;
    const operator = this.#take(/\s*(?:==|!=|<=|>=|<|>)\s*/y)?.trim();
    const right = operator === undefined ? undefined : this.#operand();
    if (operator !== undefined && !right) return null;
    if (!this.#take(/\s*\)\s*\]/y)) return null;
    return { form: "filter", left, operator: operator ?? "exists", right };
  }

  #operand(): Operand | undefined {
    this.#take(/\s+/y);
    if (this.#take(/@/y)) {
      const path = this.steps();
      return path && { path };
    }
    const text = this.#take(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false/y);
    return text === undefined ? undefined : { value: literal(text) };
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    if (match === undefined || match === "") return undefined;
    this.#at += match.length;
    return match;
  }
}

function literal(text: string): unknown {
  if (text.startsWith("'") || text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\(.)/g, "$1");
  return text === "true" || text === "false" ? text === "true" : Number(text);
}

function bracketStep(text: string): Step | null {
  if (text === "*") return { form: "all" };
  const slice = /^(-?\d+)?:(-?\d+)?(?::(-?\d+))?$/.exec(text);
  if (slice) {
    const [, from, to, by = "1"] = slice;
    return {
      form: "items",
      ...(from === undefined ? {} : { from: Number(from) }),
      ...(to === undefined ? {} : { to: Number(to) }),
      by: Number(by),
    };
  }
  const names: (string | number)[] = [];
  for (const name of text.match(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,\s]+/g) ?? []) {
    const isNumber = /^-?\d+$/.test(name);
    if (!isNumber && !/^['"]/.test(name)) return null;
    names.push(isNumber ? Number(name) : String(literal(name)));
  }
  return names.length === 0 ? null : { form: "union", names };
}

/** Work of one step over one value. */
const stepWork = 0.06;

/** Returns the first value that the steps from `at` on lead to, in the order of the document; undefined if they lead nowhere. */
function firstOf(steps: readonly Step[], at: number, start: unknown, pay: Pay): unknown {
  let value = start;
  for (let index = at; ; index++) {
    const step = steps[index];
    if (!step || value === undefined) return value;
    pay(stepWork);
    if (step.form === "field") value = member(value, step.name);
    else if (step.form === "deep") return firstBelow(steps, index + 1, value, pay);
    else {
      for (const next of eachOf(step, value, pay)) {
        const result = firstOf(steps, index + 1, next, pay);
        if (result !== undefined) return result;
      }
      return undefined;
    }
  }
}

/** Returns the first value that the steps lead to from a value, or from anything below it. */
function firstBelow(steps: readonly Step[], at: number, value: unknown, pay: Pay): unknown {
  const direct = firstOf(steps, at, value, pay);
  if (direct !== undefined) return direct;
  for (const child of below(value)) {
    pay(stepWork);
    const result = firstBelow(steps, at, child, pay);
    if (result !== undefined) return result;
  }
  return undefined;
}

function eachOf(step: Exclude<Step, { form: "field" | "deep" }>, value: unknown, pay: Pay): Iterable<unknown> {
  switch (step.form) {
    case "all":
      return below(value);
    case "items":
      return slice(value, step, pay);
    case "union":
      return step.names.map((name) => (typeof name === "number" ? item(value, name) : member(value, name)));
    case "filter":
      return Array.isArray(value) ? passing(step, value, pay) : [];
  }
}

function* passing(step: Filter, values: readonly unknown[], pay: Pay): Generator<unknown> {
  for (const value of values) {
    pay(stepWork);
    if (passes(step, value, pay)) yield value;
  }
}

/** Returns a field of an object; undefined if there is none. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) {
    return undefined;
  }
  // Here the value is neither an array nor null.
  return (value as Readonly<Record<string, unknown>>)[name];
}

function item(value: unknown, index: number): unknown {
  if (!Array.isArray(value)) return undefined;
  return (value as unknown[]).at(index);
}

function below(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function* slice(value: unknown, { from = 0, to, by }: Slice, pay: Pay): Generator<unknown> {
  if (!Array.isArray(value) || by <= 0) return;
  const { length } = value as unknown[];
  const end = to === undefined || to > length ? length : to < 0 ? length + to : to;
  for (let at = from < 0 ? Math.max(0, length + from) : from; at < end; at += by) {
    pay(stepWork);
    yield (value as unknown[])[at];
  }
}

function passes({ left, operator, right }: Filter, value: unknown, pay: Pay): boolean {
  const a = operandOf(left, value, pay);
  if (operator === "exists") return "path" in left && a !== undefined;
  const b = right && operandOf(right, value, pay);
  if (a === undefined || b === undefined) return false;
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  if (typeof a !== typeof b || (typeof a !== "number" && typeof a !== "string")) return false;
  const order = a < (b as typeof a) ? -1 : a > (b as typeof a) ? 1 : 0;
  if (operator === "<") return order < 0;
  if (operator === ">") return order > 0;
  return operator === "<=" ? order <= 0 : order >= 0;
}

function operandOf(operand: Operand, value: unknown, pay: Pay): unknown {
  return "path" in operand ? firstOf(operand.path, 0, value, pay) : operand.value;
}
