// The position of decoding, for the paths of unknown fields and for errors in the words of Go's JSON decoder.
import { ApiError } from "../k8s/status.ts";

/** A field of a struct on the path from the root. */
export interface FieldStep {
  readonly key: string;
  /** The name of the struct that declares it. */
  readonly owner: string;
  /** See `Field.inlined`. */
  readonly inlined: string;
}

export interface Context {
  /** The steps from the root: a field, a map's key or a list's index. */
  readonly steps: (FieldStep | string | number)[];
  readonly unknown: Set<string>;
  readonly source: Source;
}

/**
 * The origin of a value. Upstream decodes a body with its JSON decoder, and the result of a strategic merge with a converter of maps. In a
 * body an empty list was given by the client; elsewhere it may stand for an absent one.
 */
export type Source = "body" | "json" | "map";

export function newContext(source: Source = "json"): Context {
  return { steps: [], unknown: new Set(), source };
}

/** The number of unknown fields that upstream reports. */
const maxUnknown = 100;

export function reportUnknown(context: Context, key: string): void {
  if (context.unknown.size < maxUnknown) context.unknown.add(pathOf([...context.steps, key]));
}

/** The error of a value that does not fit its field. */
export class MismatchError extends ApiError {
  /** The path of the value: `spec.containers[0].ports`. */
  readonly field: string;

  constructor(message: string, context: Context) {
    super(400, "BadRequest", message);
    this.field = pathOf(context.steps);
  }
}

/** Returns the error of a value with the wrong JSON type; `goType` is the type of the field. */
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

/** Returns a JSON value's type as Go's decoder names it. */
export function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  // Go prints the number only if another number would have fitted the type.
  if (typeof value === "number") return "number";
  return typeof value;
}

/** Words the error like upstream's converter, which names kinds where the decoder names fields. */
function conversionError(value: unknown, goType: string, isStruct: boolean): string {
  const kind = kindOf(value);
  if (goType.startsWith("map[") || goType === "v1.ResourceList") return `cannot restore map from ${kind}`;
  if (goType.startsWith("[]")) return `cannot restore slice from ${kind}`;
  if (isStruct) return `cannot restore struct from: ${kind}`;
  // Go converts an integer to a string of one character, which the converter then refuses.
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

/** Returns the error of a number that does not fit: a fraction, or one that is too large. */
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
