// What a validation found, with how much of the schema was met: of several alternatives the best match is told.
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
  /** The same text is told once. */
  readonly text: string;
  /** In the value: `spec.ports[0]`; undefined where it is about the whole. */
  readonly at: string | undefined;
  error(path: FieldPath): FieldError;
}

/** Work of wording a problem, and of passing it on to the schema above. */
const problemWork = 3;

export class Findings {
  readonly problems: Problem[] = [];
  matches = 0;
  /** Of the problems, each of which is told once. */
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

  merge(other: Findings): void {
    for (const problem of other.problems) this.add(problem);
    this.matches += other.matches;
  }

  get isValid(): boolean {
    return this.problems.length === 0;
  }
}

/** About one place, worded as `<place> in body <what>`. */
export function about(at: string, value: unknown, what: string): Problem {
  const text = `${at} in body ${what}`;
  return { text, at, error: (path) => invalid(path, value ?? "", text) };
}

/** A factor that nothing can be a multiple of. */
export function badFactor(at: string, factor: number): Problem {
  const text = `factor MultipleOf declared for ${at} must be positive: ${goFloat(factor)}`;
  return { text, at, error: (path) => invalid(path, factor, text) };
}

/** A field that the schema allows none beside its own. */
export function forbiddenField(at: string, name: string): Problem {
  const text = `${at}.${name} in body is a forbidden property`;
  return { text, at, error: (path) => invalid(path, name, text) };
}

/** About the whole, wherever it was found. */
export function overall(text: string): Problem {
  return { text, at: undefined, error: (path) => invalid(path, "", text) };
}

/** `found` is what the value is instead, or the value itself. */
export function wrongType(at: string, type: string, found: string): Problem {
  const text = `${at} in body must be of type ${type}: ${JSON.stringify(found)}`;
  return { text, at, error: (path) => typeInvalid(path, found, text) };
}

export function missing(at: string): Problem {
  return { text: `${at} in body is required`, at, error: (path) => required(path) };
}

export function notAmong(at: string, value: unknown, values: readonly unknown[]): Problem {
  const allowed = values.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
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
