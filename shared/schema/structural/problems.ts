// Findings of a validation, with a count of the schemas that matched: the best match of several alternatives is reported.
import type { WorkMeter } from "../../k8s/bounds/work.ts";
import { goFloat } from "../../k8s/go-text.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupportedInOrder,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../../k8s/field.ts";

export interface Problem {
  /** The message, which is reported once. */
  readonly text: string;
  /** The path in the value: `spec.ports[0]`; undefined if the problem concerns the value as a whole. */
  readonly at: string | undefined;
  error(path: FieldPath): FieldError;
}

/** The work of wording a problem, and of passing it on to the parent schema. */
const problemWork = 3;

export class Findings {
  readonly problems: Problem[] = [];
  matches = 0;
  /** Messages so far, so that each is reported once. */
  #texts: Set<string> | undefined;
  /** The meter that the validation charges. */
  readonly meter: WorkMeter;

  constructor(meter: WorkMeter) {
    this.meter = meter;
  }

  add(problem: Problem): void {
    this.meter.charge(problemWork);
    this.#texts ??= new Set();
    if (this.#texts.has(problem.text)) return;
    this.#texts.add(problem.text);
    this.problems.push(problem);
  }

  clear(): void {
    this.problems.length = 0;
    this.#texts = undefined;
  }

  merge(findings: Findings): void {
    for (const problem of findings.problems) this.add(problem);
    this.matches += findings.matches;
  }

  get isValid(): boolean {
    return this.problems.length === 0;
  }
}

/** Returns a problem at one path, worded as `<path> in body <what>`. */
export function about(at: string, value: unknown, what: string): Problem {
  const text = `${at} in body ${what}`;
  return { text, at, error: (path) => invalid(path, value ?? "", text) };
}

/** Returns the problem of a factor of which nothing can be a multiple. */
export function badFactor(at: string, factor: number): Problem {
  const text = `factor MultipleOf declared for ${at} must be positive: ${goFloat(factor)}`;
  return { text, at, error: (path) => invalid(path, factor, text) };
}

/** Returns the problem of a field that the schema does not allow. */
export function forbiddenField(at: string, name: string): Problem {
  const text = `${at}.${name} in body is a forbidden property`;
  return { text, at, error: (path) => invalid(path, name, text) };
}

/** Returns a problem of the value as a whole. */
export function overall(text: string): Problem {
  return { text, at: undefined, error: (path) => invalid(path, "", text) };
}

/** Returns a type error. `actual` is the type of the value, or the value itself. */
export function wrongType(at: string, type: string, actual: string): Problem {
  const text = `${at} in body must be of type ${type}: ${JSON.stringify(actual)}`;
  return { text, at, error: (path) => typeInvalid(path, actual, text) };
}

export function missing(at: string): Problem {
  return { text: `${at} in body is required`, at, error: (path) => required(path) };
}

export function notAmong(at: string, value: unknown, values: readonly unknown[]): Problem {
  const allowed = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const text = `${at} in body should be one of [${allowed.join(" ")}]`;
  return { text, at, error: (path) => notSupportedInOrder(path, value, allowed) };
}

export function longerThan(at: string, max: number): Problem {
  return { text: `${at} in body should be at most ${max} chars long`, at, error: (path) => tooLong(path, max) };
}

export function moreThan(at: string, size: number, max: number, what: "items" | "properties"): Problem {
  const text = `${at} in body should have at most ${max} ${what}`;
  return { text, at, error: (path) => tooMany(path, size, max) };
}
