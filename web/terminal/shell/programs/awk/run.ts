// Runs an awk script over lines.
import type { Pattern, Spend } from "../../../../../shared/base/pattern.ts";
import { newBudget, regularExpression } from "../../language/patterns.ts";
import { maxHeld, TooMuch } from "../../streams.ts";
import { formatted } from "../print.ts";
import type { Expression, Rule, Script, Statement } from "./syntax.ts";

export type Value = string | number;

export interface AwkOptions {
  readonly script: Script;
  readonly variables: ReadonlyMap<string, string>;
  /** `target` is the file that a `print >` names. */
  print(text: string, target: { readonly name: string; readonly appends: boolean } | undefined): void;
  random(): number;
  nowMs(): number;
}

class Jump extends Error {
  readonly kind: "next" | "break" | "continue" | "exit" | "return";
  readonly value: Value;

  constructor(kind: Jump["kind"], value: Value = "") {
    super(kind);
    this.kind = kind;
    this.value = value;
  }
}

/** A field or what was read looks like a number: it is compared as one. */
const numeric = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/;
/** Statements and rounds; about a second of a page that answers nothing meanwhile. */
const maxSteps = 10_000_000;
const maxCalls = 200;

export class Awk {
  readonly #options: AwkOptions;
  readonly #variables = new Map<string, Value>();
  readonly #arrays = new Map<string, Map<string, Value>>();
  readonly #open = new Set<Rule>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #spend: Spend = newBudget();
  #fields: string[] = [];
  #line = "";
  #steps = 0;
  #calls = 0;
  /** Set by `exit`. */
  exitCode: number | undefined;

  constructor(options: AwkOptions) {
    this.#options = options;
    for (const [name, value] of Object.entries({
      FS: " ",
      OFS: " ",
      ORS: "\n",
      NR: 0,
      NF: 0,
      FNR: 0,
      SUBSEP: "\x1c",
      RS: "\n",
      FILENAME: "",
    }))
      this.#variables.set(name, value);
    for (const [name, value] of options.variables) this.#variables.set(name, value);
  }

  set(name: string, value: string): void {
    this.#variables.set(name, value);
  }

  get needsInput(): boolean {
    return this.#options.script.rules.some(({ when }) => when !== "BEGIN");
  }

  /** The rules of `BEGIN` or `END`. */
  special(when: "BEGIN" | "END"): void {
    for (const rule of this.#options.script.rules)
      if (rule.when === when && rule.action) this.#guarded(() => this.#do(rule.action));
  }

  line(text: string, isFirstOfFile: boolean): void {
    this.#variables.set("NR", number(this.#variables.get("NR") ?? 0) + 1);
    this.#variables.set("FNR", isFirstOfFile ? 1 : number(this.#variables.get("FNR") ?? 0) + 1);
    this.#setLine(text);
    this.#guarded(() => {
      for (const rule of this.#options.script.rules) {
        if (rule.when !== "line" || !this.#isMeant(rule)) continue;
        if (rule.action) this.#do(rule.action);
        else this.#print(this.#line);
      }
    });
  }

  /** `next` and `exit` end what runs. */
  #guarded(run: () => void): void {
    if (this.exitCode !== undefined) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof Jump)) throw error;
      if (error.kind === "exit") this.exitCode = number(error.value);
    }
  }

  #isMeant(rule: Rule): boolean {
    if (!rule.from) return true;
    if (!rule.to) return isTrue(this.#value(rule.from));
    if (!this.#open.has(rule) && !isTrue(this.#value(rule.from))) return false;
    if (isTrue(this.#value(rule.to))) this.#open.delete(rule);
    else this.#open.add(rule);
    return true;
  }

  #print(text: string, target?: { readonly name: string; readonly appends: boolean }): void {
    this.#options.print(text + this.#text("ORS"), target);
  }

  #text(name: string): string {
    return this.#shown(this.#variables.get(name) ?? "");
  }

  #setLine(text: string): void {
    this.#line = text;
    this.#fields = this.#split(text, this.#text("FS"));
    this.#variables.set("NF", this.#fields.length);
  }

  #split(text: string, mark: string): string[] {
    if (mark === " ") return text.trim() === "" ? [] : text.trim().split(/[ \t\n]+/);
    if (text === "") return [];
    if (mark === "") return [...text];
    if (mark.length === 1 && mark !== "\\" && !"|.*+?^$()[]{}".includes(mark)) return text.split(mark);
    if (mark.length === 1) return text.split(mark);
    const parts: string[] = [];
    let at = 0;
    for (const { start, end } of this.#pattern(mark).findAll(text, this.#spend)) {
      if (end === start) continue;
      parts.push(text.slice(at, start));
      at = end;
    }
    return [...parts, text.slice(at)];
  }

  #pattern(source: string): Pattern {
    const kept = this.#patterns.get(source) ?? regularExpression(source, { isExtended: true });
    if (this.#patterns.size < 200) this.#patterns.set(source, kept);
    return kept;
  }

  #do(statement: Statement | undefined): void {
    if (!statement) return;
    if (++this.#steps > maxSteps) throw new Error("the script does more than it may here");
    switch (statement.kind) {
      case "print":
      case "printf":
        return this.#doPrint(statement);
      case "expression":
        return void this.#value(statement.of);
      case "block":
        for (const one of statement.all) this.#do(one);
        return;
      case "if":
        return this.#do(isTrue(this.#value(statement.condition)) ? statement.yes : statement.no);
      case "while":
        return this.#loop(() => {
          if (!statement.isAfter && !isTrue(this.#value(statement.condition))) return false;
          this.#round(statement.body);
          return !statement.isAfter || isTrue(this.#value(statement.condition));
        });
      case "for":
        this.#do(statement.start);
        return this.#loop(() => {
          if (statement.condition && !isTrue(this.#value(statement.condition))) return false;
          this.#round(statement.body);
          this.#do(statement.step);
          return true;
        });
      case "each": {
        const keys = [...this.#array(statement.array).keys()];
        return this.#loop(() => {
          const key = keys.shift();
          if (key === undefined) return false;
          this.#variables.set(statement.name, key);
          this.#round(statement.body);
          return true;
        });
      }
      case "delete":
        if (statement.index) this.#array(statement.name).delete(this.#key(statement.index));
        else this.#array(statement.name).clear();
        return;
      case "exit":
        throw new Jump("exit", statement.value ? this.#value(statement.value) : 0);
      case "return":
        throw new Jump("return", statement.value ? this.#value(statement.value) : "");
      default:
        throw new Jump(statement.kind);
    }
  }

  #doPrint({ kind, args, target }: Statement & { kind: "print" | "printf" }): void {
    const place = target && { name: this.#shown(this.#value(target.name)), appends: target.appends };
    const values = args.map((one) => this.#value(one));
    if (kind === "printf") {
      const [format = "", ...rest] = values.map((one) => this.#shown(one));
      return this.#options.print(formatted(format, rest.length > 0 ? rest : []), place);
    }
    this.#print(args.length === 0 ? this.#line : values.map((one) => this.#shown(one)).join(this.#text("OFS")), place);
  }

  #loop(round: () => boolean): void {
    try {
      while (round()) if (++this.#steps > maxSteps) throw new Error("the script does more than it may here");
    } catch (error) {
      if (!(error instanceof Jump) || error.kind !== "break") throw error;
    }
  }

  #round(body: Statement): void {
    try {
      this.#do(body);
    } catch (error) {
      if (!(error instanceof Jump) || error.kind !== "continue") throw error;
    }
  }

  #array(name: string): Map<string, Value> {
    const found = this.#arrays.get(name) ?? new Map<string, Value>();
    this.#arrays.set(name, found);
    return found;
  }

  #key(index: readonly Expression[]): string {
    return index.map((one) => this.#shown(this.#value(one))).join(this.#text("SUBSEP"));
  }

  #shown(value: Value): string {
    if (typeof value === "string") return value;
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  }

  #value(expression: Expression): Value {
    switch (expression.kind) {
      case "number":
        return expression.value;
      case "string":
        return expression.text;
      case "pattern":
        return this.#pattern(expression.text).test(this.#line, this.#spend) ? 1 : 0;
      case "name":
        return this.#variables.get(expression.text) ?? "";
      case "field":
        return this.#field(number(this.#value(expression.of)));
      case "element":
        return this.#array(expression.name).get(this.#key(expression.index)) ?? "";
      case "in":
        return this.#array(expression.name).has(this.#key(expression.index)) ? 1 : 0;
      case "not":
        return isTrue(this.#value(expression.of)) ? 0 : 1;
      case "minus":
        return -number(this.#value(expression.of));
      case "plus":
        return number(this.#value(expression.of));
      case "choice":
        return this.#value(isTrue(this.#value(expression.condition)) ? expression.yes : expression.no);
      case "assign": {
        const given = this.#value(expression.value);
        const value =
          expression.operator === "" ? given : this.#sum(expression.operator, this.#value(expression.target), given);
        this.#assign(expression.target, value);
        return value;
      }
      case "step": {
        const before = number(this.#value(expression.target));
        this.#assign(expression.target, before + expression.by);
        return expression.isAfter ? before : before + expression.by;
      }
      case "call":
        return this.#call(expression.name, expression.args);
      case "binary":
        return this.#binary(expression);
    }
  }

  #field(at: number): string {
    if (at < 0) throw new Error(`attempt to access field ${at}`);
    return at === 0 ? this.#line : (this.#fields[at - 1] ?? "");
  }

  #assign(target: Expression, value: Value): void {
    if (target.kind === "element") this.#array(target.name).set(this.#key(target.index), value);
    else if (target.kind === "name") {
      this.#variables.set(target.text, value);
      if (target.text !== "NF") return;
      this.#fields.length = Math.min(number(value), 10_000);
      this.#line = Array.from(this.#fields, (one) => one ?? "").join(this.#text("OFS"));
    } else if (target.kind === "field") {
      const at = number(this.#value(target.of));
      if (at === 0) return this.#setLine(this.#shown(value));
      if (at > 10_000) throw new Error(`attempt to access field ${at}`);
      while (this.#fields.length < at) this.#fields.push("");
      this.#fields[at - 1] = this.#shown(value);
      this.#variables.set("NF", this.#fields.length);
      this.#line = this.#fields.join(this.#text("OFS"));
    }
  }

  #binary({ operator, left, right }: Expression & { kind: "binary" }): Value {
    if (operator === "&&") return isTrue(this.#value(left)) && isTrue(this.#value(right)) ? 1 : 0;
    if (operator === "||") return isTrue(this.#value(left)) || isTrue(this.#value(right)) ? 1 : 0;
    if (operator === "~" || operator === "!~") {
      const pattern = right.kind === "pattern" ? right.text : this.#shown(this.#value(right));
      return this.#pattern(pattern).test(this.#shown(this.#value(left)), this.#spend) === (operator === "~") ? 1 : 0;
    }
    const [a, b] = [this.#value(left), this.#value(right)];
    if (operator === " ") {
      const text = this.#shown(a) + this.#shown(b);
      if (text.length > maxHeld) throw new TooMuch();
      return text;
    }
    if (!["<", "<=", ">", ">=", "==", "!="].includes(operator)) return this.#sum(operator, a, b);
    const isNumeric = [
      [left, a],
      [right, b],
    ].every(
      ([node, value]) =>
        typeof value === "number" || ((node as Expression).kind !== "string" && numeric.test(value as string)),
    );
    const [x, y] = isNumeric ? [number(a), number(b)] : [this.#shown(a), this.#shown(b)];
    const order = x < y ? -1 : x > y ? 1 : 0;
    const holds = {
      "<": order < 0,
      "<=": order <= 0,
      ">": order > 0,
      ">=": order >= 0,
      "==": order === 0,
      "!=": order !== 0,
    };
    return holds[operator as keyof typeof holds] ? 1 : 0;
  }

  #sum(operator: string, left: Value, right: Value): number {
    const [a, b] = [number(left), number(right)];
    if ((operator === "/" || operator === "%") && b === 0) throw new Error("division by zero");
    const found = { "+": a + b, "-": a - b, "*": a * b, "/": a / b, "%": a % b, "^": a ** b };
    return found[operator as keyof typeof found];
  }

  #call(name: string, args: readonly Expression[]): Value {
    const own = this.#options.script.functions.get(name);
    if (own) return this.#ownCall(own, args);
    const [first, second, third] = args;
    if (name === "split" && second?.kind === "name") return this.#splitInto(first, second.text, third);
    if (name === "sub" || name === "gsub") return this.#substitute(name === "gsub", args);
    if (name === "length" && first?.kind === "name" && this.#arrays.has(first.text))
      return this.#array(first.text).size;
    const source = second?.kind === "pattern" ? second.text : undefined;
    const values = args.map((one) => (one.kind === "pattern" ? one.text : this.#value(one)));
    const texts = values.map((one) => this.#shown(one));
    const [text = ""] = texts;
    switch (name) {
      case "length":
        return (first ? text : this.#line).length;
      case "substr": {
        const from = Math.round(number(values[1] ?? 1));
        const end = values[2] === undefined ? Number.POSITIVE_INFINITY : from + Math.round(number(values[2]));
        return text.slice(Math.max(from, 1) - 1, Math.max(end - 1, 0));
      }
      case "index":
        return text.indexOf(texts[1] ?? "") + 1;
      case "match": {
        const found = this.#pattern(source ?? texts[1] ?? "").find(text, 0, this.#spend);
        this.#variables.set("RSTART", found ? found.start + 1 : 0);
        this.#variables.set("RLENGTH", found ? found.end - found.start : -1);
        return found ? found.start + 1 : 0;
      }
      case "sprintf":
        return formatted(text, texts.slice(1));
      case "toupper":
        return text.toUpperCase();
      case "tolower":
        return text.toLowerCase();
      case "rand":
        return this.#options.random();
      case "srand":
        return 0;
      case "systime":
        return Math.floor(this.#options.nowMs() / 1000);
      default:
        return mathematics[name]?.(number(values[0] ?? 0)) ?? this.#unknown(name);
    }
  }

  #unknown(name: string): never {
    throw new Error(name === "(list)" ? "syntax error at or near ," : `function ${name} is not supported`);
  }

  #ownCall(
    { parameters, body }: { readonly parameters: readonly string[]; readonly body: Statement },
    args: readonly Expression[],
  ): Value {
    if (++this.#calls > maxCalls) throw new Error("functions call one another too deeply");
    const values = parameters.map((_, at) => (args[at] ? this.#value(args[at]) : ""));
    const before = parameters.map((name) => this.#variables.get(name));
    for (const [at, name] of parameters.entries()) this.#variables.set(name, values[at] ?? "");
    try {
      this.#do(body);
      return "";
    } catch (error) {
      if (error instanceof Jump && error.kind === "return") return error.value;
      throw error;
    } finally {
      this.#calls--;
      for (const [at, name] of parameters.entries()) this.#variables.set(name, before[at] ?? "");
    }
  }

  #splitInto(of: Expression | undefined, name: string, mark: Expression | undefined): number {
    const separator = mark?.kind === "pattern" ? mark.text : mark ? this.#shown(this.#value(mark)) : this.#text("FS");
    const parts = this.#split(of ? this.#shown(this.#value(of)) : "", separator);
    const array = this.#array(name);
    array.clear();
    for (const [at, part] of parts.entries()) array.set(String(at + 1), part);
    return parts.length;
  }

  #substitute(
    isAll: boolean,
    [source, by, target = { kind: "field", of: { kind: "number", value: 0 } }]: readonly Expression[],
  ): number {
    const pattern = this.#pattern(
      source?.kind === "pattern" ? source.text : source ? this.#shown(this.#value(source)) : "",
    );
    const put = by ? this.#shown(this.#value(by)) : "";
    const text = this.#shown(this.#value(target));
    let made = "";
    let at = 0;
    let count = 0;
    for (const { start, end, groups } of pattern.findAll(text, this.#spend)) {
      made += text.slice(at, start) + put.replace(/\\\\&|\\&|&/g, (one) => (one === "&" ? (groups[0] ?? "") : "&"));
      at = end;
      count++;
      if (!isAll) break;
    }
    if (count > 0) this.#assign(target, made + text.slice(at));
    return count;
  }
}

const mathematics: Readonly<Record<string, (value: number) => number>> = {
  int: Math.trunc,
  sqrt: Math.sqrt,
  exp: Math.exp,
  log: Math.log,
  sin: Math.sin,
  cos: Math.cos,
};

function number(value: Value): number {
  return typeof value === "number" ? value : Number.parseFloat(value) || 0;
}

function isTrue(value: Value): boolean {
  return typeof value === "number" ? value !== 0 : numeric.test(value) ? Number(value) !== 0 : value !== "";
}
