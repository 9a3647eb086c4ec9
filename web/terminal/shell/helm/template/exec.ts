// The executor of Go's text/template.
import { byteLength } from "../../../../../shared/base/byte-text.ts";
import { getKey } from "../../../../../shared/schema/json-values.ts";
import { checkedArgument, type Functions, type TemplateFunction } from "./builtins.ts";
import { CallError, checkLength, TemplateError, TemplateLimit } from "./errors.ts";
import { lineOf } from "./lexer.ts";
import type { Branch, Command, Node, Operand, Pipe, Template } from "./nodes.ts";
import { isMap, isNil, isTrue, sortedKeys, Struct, textOf, typeOf } from "./values.ts";

/** The limits of one rendering, shared by all of its templates. */
export interface Budget {
  steps: number;
  outputBytes: number;
  depth: number;
  /** Throws if the time is over. */
  check(): void;
}

/** The highest nesting of template calls; a stack of JavaScript holds it. */
const maxDepth = 400;
const stepsBetweenChecks = 4096;
/** The letters or items of a function's arguments and result that count as one step. */
const itemsInStep = 256;

/** Templates by name. A set of `tpl` sees its parent's templates and hides them by its own. */
export class TemplateSet {
  readonly #templates = new Map<string, Template>();
  readonly #parent: TemplateSet | undefined;

  constructor(parent?: TemplateSet) {
    this.#parent = parent;
  }

  find(name: string): Template | undefined {
    return this.#templates.get(name) ?? this.#parent?.find(name);
  }

  /** Adds a template. One without content does not replace another. */
  add(template: Template): void {
    const isBlank = template.nodes.every((node) => node.form === "text" && node.text.trim() === "");
    if (isBlank && this.find(template.name)) return;
    this.#templates.set(template.name, template);
  }
}

export interface Execution {
  readonly set: TemplateSet;
  readonly functions: Functions;
  readonly budget: Budget;
}

/** Executes a template and returns its output. Throws TemplateError with Go's message, or TemplateLimit. */
export function execute(template: Template, data: unknown, execution: Execution): string {
  const { budget } = execution;
  if (budget.depth >= maxDepth)
    throw new TemplateLimit(`template ${JSON.stringify(template.name)} nests more than ${maxDepth} calls`);
  budget.depth++;
  try {
    const out: string[] = [];
    new Executor(template, data, execution, out).walkAll(template.nodes, data);
    return out.join("");
  } finally {
    budget.depth--;
  }
}

type Jump = "break" | "continue" | undefined;
/** Marks a command that nothing is piped into. */
const missing = Symbol("missing");

class Executor {
  readonly #template: Template;
  readonly #execution: Execution;
  readonly #budget: Budget;
  readonly #out: string[];
  readonly #names: string[] = ["$"];
  readonly #values: unknown[];

  constructor(template: Template, data: unknown, execution: Execution, out: string[]) {
    this.#template = template;
    this.#execution = execution;
    this.#budget = execution.budget;
    this.#out = out;
    this.#values = [data];
  }

  walkAll(nodes: readonly Node[], dot: unknown): Jump {
    for (const node of nodes) {
      const jump = this.#walk(node, dot);
      if (jump) return jump;
    }
    return undefined;
  }

  #step(count: number): void {
    const budget = this.#budget;
    const checks = Math.floor(budget.steps / stepsBetweenChecks);
    budget.steps -= count;
    if (budget.steps < 0) throw new TemplateLimit("the templates take more steps than a page may spend");
    if (Math.floor(budget.steps / stepsBetweenChecks) !== checks) budget.check();
  }

  /** Charges the work of a function, which is about proportional to its texts and lists. */
  #charge(values: readonly unknown[]): void {
    let length = 0;
    for (const value of values) if (typeof value === "string" || Array.isArray(value)) length += value.length;
    if (length >= itemsInStep) this.#step(Math.floor(length / itemsInStep));
  }

  #write(text: string): void {
    this.#budget.outputBytes -= text.length;
    if (this.#budget.outputBytes < 0) throw new TemplateLimit("the templates write more than a page can hold");
    this.#out.push(text);
  }

  #fail(node: { readonly start: number; readonly text: string }, message: string, cause?: unknown): never {
    const { source, file, name } = this.#template;
    const before = source.slice(0, node.start);
    const lineStart = before.lastIndexOf("\n");
    const column = lineStart < 0 ? byteLength(before) : byteLength(before.slice(lineStart + 1));
    const warning = cause instanceof TemplateError || cause instanceof Warning ? cause.warning : undefined;
    throw new TemplateError(
      `template: ${file}:${lineOf(source, node.start)}:${column}: executing ${JSON.stringify(name)} at <${node.text}>: ${message}`,
      warning,
    );
  }

  #walk(node: Node, dot: unknown): Jump {
    this.#step(1);
    switch (node.form) {
      case "text":
        this.#write(node.text);
        return undefined;
      case "action": {
        const value = this.#pipe(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.#write(isNil(value) ? "<no value>" : textOf(value));
        return undefined;
      }
      case "if":
      case "with":
        return this.#condition(node, dot);
      case "range":
        return this.#range(node, dot);
      case "template":
        this.#call(node, dot);
        return undefined;
      default:
        return node.form;
    }
  }

  #pop(mark: number): void {
    this.#names.length = mark;
    this.#values.length = mark;
  }

  #condition(node: Branch, dot: unknown): Jump {
    const mark = this.#names.length;
    const value = this.#pipe(node.pipe, dot);
    let jump: Jump;
    if (isTrue(value)) jump = this.walkAll(node.body, node.form === "with" ? value : dot);
    else if (node.otherwise) jump = this.walkAll(node.otherwise, dot);
    this.#pop(mark);
    return jump;
  }

  #range(node: Branch, dot: unknown): Jump {
    const scope = this.#names.length;
    const value = this.#pipe(node.pipe, dot);
    const mark = this.#names.length;
    const { variables, assigns } = node.pipe;
    const [first = "", second = ""] = variables;
    const setTop = (back: number, item: unknown) => void (this.#values[mark - back] = item);
    const iterate = (key: unknown, item: unknown): Jump => {
      this.#step(1);
      if (variables.length > 0 && assigns) this.#assign(first, variables.length > 1 ? key : item);
      else if (variables.length > 0) setTop(1, item);
      if (variables.length > 1 && assigns) this.#assign(second, item);
      else if (variables.length > 1) setTop(2, key);
      const jump = this.walkAll(node.body, item);
      this.#pop(mark);
      return jump;
    };
    let jump: Jump;
    const runAgain = (key: unknown, item: unknown): boolean => (jump = iterate(key, item)) !== "break";
    const isEmpty = this.#each(node, value, runAgain);
    if (isEmpty && node.otherwise) jump = this.walkAll(node.otherwise, dot);
    else jump = undefined;
    this.#pop(scope);
    return jump;
  }

  /** Calls `run` for each item until it returns false. Returns true if there were none. */
  #each(node: Branch, value: unknown, run: (key: unknown, item: unknown) => boolean): boolean {
    if (isNil(value)) return true;
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      for (let at = 0; at < items.length; at++) if (!run(BigInt(at), items[at] ?? null)) break;
      return items.length === 0;
    }
    const map = value instanceof Struct ? value.map : value;
    if (isMap(map)) {
      const keys = sortedKeys(map);
      for (const key of keys) if (!run(key, getKey(map, key) ?? null)) break;
      return keys.length === 0;
    }
    if (typeof value === "bigint") {
      if (node.pipe.variables.length > 1)
        this.#fail(branchText(node), `can't use ${value} to iterate over more than one variable`);
      for (let at = 0n; at < value; at++) if (!run(undefined, at)) break;
      return value <= 0n;
    }
    return this.#fail(branchText(node), `range can't iterate over ${textOf(value)}`);
  }

  #call(node: Extract<Node, { form: "template" }>, dot: unknown): void {
    const target = this.#execution.set.find(node.name);
    const text = `{{template ${JSON.stringify(node.name)}${node.pipe ? ` ${node.pipe.text}` : ""}}}`;
    if (!target) return this.#fail({ start: node.start, text }, `template ${JSON.stringify(node.name)} not defined`);
    const data = node.pipe ? this.#pipe(node.pipe, dot) : undefined;
    // The text was already charged.
    this.#out.push(execute(target, data, this.#execution));
  }

  #assign(name: string, value: unknown): void {
    const at = this.#names.lastIndexOf(name);
    if (at >= 0) this.#values[at] = value;
  }

  #pipe(pipe: Pipe, dot: unknown): unknown {
    let value: unknown = missing;
    for (const command of pipe.commands) value = this.#command(command, dot, value) ?? undefined;
    for (const name of pipe.variables) {
      if (pipe.assigns) this.#assign(name, value);
      else {
        this.#names.push(name);
        this.#values.push(value);
      }
    }
    return value;
  }

  #command(command: Command, dot: unknown, piped: unknown): unknown {
    this.#step(1);
    const { first, rest } = command;
    switch (first.form) {
      case "field":
        return this.#fields(dot, first.path, first, { dot, rest, piped });
      case "variable":
        if (first.path.length > 0)
          return this.#fields(this.#variable(first.name), first.path, first, { dot, rest, piped });
        break;
      case "chain":
        return this.#fields(this.#chained(first.of, dot), first.path, first, { dot, rest, piped });
      case "function":
        return this.#function(first.name, command, { dot, rest, piped });
      case "nil":
        return this.#fail(first, "nil is not a command");
      default:
    }
    if (rest.length > 0 || piped !== missing) this.#fail(first, `can't give argument to non-function ${first.text}`);
    return this.#operand(first, dot);
  }

  #variable(name: string): unknown {
    return this.#values[this.#names.lastIndexOf(name)];
  }

  /** Evaluates the start of a chain; a nil from a pipeline is the invalid value. */
  #chained(operand: Operand, dot: unknown): unknown {
    return this.#operand(operand, dot) ?? undefined;
  }

  #operand(operand: Operand, dot: unknown): unknown {
    switch (operand.form) {
      case "dot":
        return dot;
      case "nil":
        return null;
      case "constant":
        return operand.value;
      case "field":
        return this.#fields(dot, operand.path, operand);
      case "variable": {
        const value = this.#variable(operand.name);
        return operand.path.length > 0 ? this.#fields(value, operand.path, operand) : value;
      }
      case "function":
        return this.#function(operand.name, operand);
      case "pipe":
        return this.#pipe(operand.pipe, dot);
      case "chain":
        return this.#fields(this.#chained(operand.of, dot), operand.path, operand);
    }
  }

  #fields(receiver: unknown, path: readonly string[], node: Operand, call?: Call): unknown {
    let value = receiver;
    for (const [at, name] of path.entries())
      value = this.#field(value, name, node, at > 0, at === path.length - 1 ? call : undefined);
    return value;
  }

  #field(receiver: unknown, name: string, node: Operand, isInterface: boolean, call?: Call): unknown {
    if (receiver === undefined) return undefined;
    if (receiver === null) return this.#fail(node, `nil pointer evaluating interface {}.${name}`);
    const hasArguments = call !== undefined && (call.rest.length > 0 || call.piped !== missing);
    if (receiver instanceof Struct) {
      const method = receiver.methods.get(name);
      if (method) {
        const values = this.#arguments(call);
        return this.#guarded(node, name, () => method(...values));
      }
      if (receiver.fields.has(name)) {
        if (hasArguments) this.#fail(node, `${name} has arguments but cannot be invoked as function`);
        return receiver.fields.get(name) ?? null;
      }
    } else if (isMap(receiver)) {
      if (hasArguments) this.#fail(node, `${name} is not a method but has arguments`);
      return getKey(receiver, name) ?? null;
    }
    return this.#fail(
      node,
      `can't evaluate field ${name} in type ${isInterface && !(receiver instanceof Struct) ? "interface {}" : typeOf(receiver)}`,
    );
  }

  #arguments(call: Call | undefined): unknown[] {
    if (!call) return [];
    const values = call.rest.map((operand) => this.#operand(operand, call.dot));
    return call.piped === missing ? values : [...values, call.piped];
  }

  #guarded(node: { readonly start: number; readonly text: string }, name: string, call: () => unknown): unknown {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof CallError) && !(error instanceof TemplateError)) throw error;
      return this.#fail(node, `error calling ${name}: ${error.message}`, error);
    }
  }

  #function(name: string, node: { readonly start: number; readonly text: string }, call?: Call): unknown {
    const target = Object.hasOwn(this.#execution.functions, name) ? this.#execution.functions[name] : undefined;
    if (!target) return this.#fail(node, `${JSON.stringify(name)} is not a defined function`);
    this.#checkCount(name, target, node, call);
    if (call && (name === "and" || name === "or")) return this.#lazily(name === "or", call);
    const values = this.#checked(target, node, call);
    const result = this.#guarded(node, name, () =>
      (target.call as (...args: readonly unknown[]) => unknown)(...values),
    );
    if (typeof result === "string") checkLength(result.length);
    this.#charge([...values, result]);
    return result;
  }

  #checkCount(
    name: string,
    { parameters, isVariadic }: TemplateFunction,
    node: { readonly start: number; readonly text: string },
    call: Call | undefined,
  ): void {
    const count = (call?.rest.length ?? 0) + (call === undefined || call.piped === missing ? 0 : 1);
    const least = isVariadic ? parameters.length - 1 : parameters.length;
    if (isVariadic && count < least)
      this.#fail(node, `wrong number of args for ${name}: want at least ${least} got ${call?.rest.length ?? 0}`);
    if (!isVariadic && count !== least)
      this.#fail(node, `wrong number of args for ${name}: want ${least} got ${count}`);
  }

  /** Evaluates the arguments of `and` and `or` up to the one that decides. */
  #lazily(isOr: boolean, { dot, rest, piped }: Call): unknown {
    let value: unknown;
    for (const operand of rest) {
      value = this.#operand(operand, dot);
      if (isTrue(value) === isOr) return value;
    }
    return piped === missing ? value : piped;
  }

  #checked(
    { parameters }: TemplateFunction,
    node: { readonly start: number; readonly text: string },
    call: Call | undefined,
  ): unknown[] {
    const typeAt = (at: number) => parameters[Math.min(at, parameters.length - 1)] ?? "a";
    const checkedAt = (value: unknown, at: number, place: { readonly start: number; readonly text: string }) => {
      try {
        // An integer constant is also a float64.
        const type = typeAt(at);
        return checkedArgument(type === "f" && typeof value === "bigint" ? Number(value) : value, type);
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        return this.#fail(place, error.message);
      }
    };
    if (!call) return [];
    const values = call.rest.map((operand, at) => checkedAt(this.#operand(operand, call.dot), at, operand));
    if (call.piped !== missing) values.push(checkedAt(call.piped, values.length, node));
    return values;
  }
}

interface Call {
  readonly dot: unknown;
  readonly rest: readonly Operand[];
  /** The value of the preceding command, or `missing`. */
  readonly piped: unknown;
}

function branchText({ start, pipe }: Branch): { start: number; text: string } {
  return { start, text: pipe.text };
}

/** A failure that the chart itself reports, by `fail` or `required`. */
export class Warning extends CallError {
  override name = "Warning";
  readonly warning: string;

  constructor(warning: string) {
    super(warning);
    this.warning = warning;
  }
}
