// Where decoding stands: for the paths of unknown fields, and for errors in the words of Go's JSON decoder.
import { ApiError } from "../k8s/status.ts";

/** A struct's field on the way from the root. */
export interface FieldStep {
  readonly key: string;
  /** The name of the struct that declares it. */
  readonly owner: string;
  /** See `Field.inlined`. */
  readonly inlined: string;
}

export interface Context {
  /** From the root: a field, a map's key or a list's index. */
  readonly steps: (FieldStep | string | number)[];
  readonly unknown: Set<string>;
  readonly source: Source;
}

/**
 * Upstream decodes a body with its JSON decoder, and what a strategic merge made with a converter of maps. In a body an empty
 * list was given; elsewhere it may stand for none.
 */
export type Source = "body" | "json" | "map";

export function newContext(source: Source = "json"): Context {
  return { steps: [], unknown: new Set(), source };
}

/** Upstream stops to collect there. */
const maxUnknown = 100;

export function reportUnknown(context: Context, key: string): void {
  if (context.unknown.size < maxUnknown) context.unknown.add(pathOf([...context.steps, key]));
}

/** A value that its field does not hold. */
export class MismatchError extends ApiError {
  /** Where the value stands: `spec.containers[0].ports`. */
  readonly field: string;

  constructor(message: string, context: Context) {
    super(400, "BadRequest", message);
    this.field = pathOf(context.steps);
  }
}

/** The refusal of a value of the wrong JSON type; `goType` is what the field holds. */
export function mismatch(value: unknown, goType: string, context: Context, isStruct = false): ApiError {
  if (context.source === "map") return ApiError.badRequest(conversionError(value, goType, isStruct));
  const wrong = `json: cannot unmarshal ${wordFor(value)} into Go ${target(context)} of type ${goType}`;
  return new MismatchError(wrong, context);
}

function target(context: Context): string {
  const fields = context.steps.filter((step) => typeof step === "object");
  const owner = fields.at(-1)?.owner;
  return owner === undefined
    ? "value"
    : `struct field ${owner}.${fields.map((step) => step.inlined + step.key).join(".")}`;
}

/** A JSON value's type as Go's decoder calls it. */
export function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  // Go names the number only where the type would have fitted another one.
  if (typeof value === "number") return "number";
  return typeof value;
}

/** The words of upstream's converter, which names kinds where the decoder names fields. */
function conversionError(value: unknown, goType: string, isStruct: boolean): string {
  const kind = kindOf(value);
  if (goType.startsWith("map[") || goType === "v1.ResourceList") return `cannot restore map from ${kind}`;
  if (goType.startsWith("[]")) return `cannot restore slice from ${kind}`;
  if (isStruct) return `cannot restore struct from: ${kind}`;
  // Go converts an integer to a string, of one character, which the converter then forbids.
  const isText = goType === "string" || goType.includes(".");
  if (kind === "int64" && isText) return `cannot convert int64 to ${goType}`;
  return `unrecognized type: ${isText ? "string" : goType}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "object") return "map";
  return typeof value === "boolean" ? "bool" : "string";
}

/** A number of the right kind that does not fit: a fraction, or too large. */
export function misfit(value: number, goType: string, context: Context): ApiError {
  if (context.source === "map" && !Number.isInteger(value)) {
    return ApiError.badRequest(`cannot convert float64 to ${goType}`);
  }
  const wrong = `json: cannot unmarshal number ${value} into Go ${target(context)} of type ${goType}`;
  return new MismatchError(wrong, context);
}

function pathOf(steps: Context["steps"]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else path += `${path ? "." : ""}${typeof step === "string" ? step : step.key}`;
  }
  return path;
}
