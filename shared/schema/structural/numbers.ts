// Checks numbers of custom objects: ranges of formats, bounds and multiples.
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { goFloat, isInt64 } from "../../k8s/go-text.ts";
import { about, badFactor, type Findings, overall } from "./problems.ts";

const int32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };
const int64 = { min: -(2 ** 63), max: 2 ** 63 };
const float32Max = 3.4028234663852886e38;

export function checkNumber(
  props: JSONSchemaProps,
  types: readonly string[],
  format: string,
  value: number,
  at: string,
  findings: Findings,
): void {
  const type = types.length === 1 ? (types[0] ?? "") : "";
  const isInt = isInt64(value);
  const text = (bound: number) => (isInt ? String(Math.trunc(bound)) : goFloat(bound));
  const range = (of: number, what: string) => checkRange(of, type, format, what, at, findings);
  range(value, "Checked");
  const { multipleOf, maximum, minimum } = props;
  if (multipleOf !== undefined) {
    range(multipleOf, "MultipleOf");
    // For an integer only the integral part of the factor counts.
    const factor = isInt ? Math.trunc(multipleOf) : multipleOf;
    if (factor <= 0) findings.add(badFactor(at, factor));
    else if (!isMultiple(value, factor)) findings.add(about(at, value, `should be a multiple of ${text(multipleOf)}`));
  }
  if (minimum !== undefined) {
    range(minimum, "Minimum boundary");
    const bound = isInt ? Math.trunc(minimum) : minimum;
    const isUnder = props.exclusiveMinimum === true ? value <= bound : value < bound;
    const than = props.exclusiveMinimum === true ? "greater than" : "greater than or equal to";
    if (isUnder) findings.add(about(at, value, `should be ${than} ${text(minimum)}`));
  }
  if (maximum !== undefined) {
    range(maximum, "Maximum boundary");
    const bound = isInt ? Math.trunc(maximum) : maximum;
    const isOver = props.exclusiveMaximum === true ? value >= bound : value > bound;
    const than = props.exclusiveMaximum === true ? "less than" : "less than or equal to";
    if (isOver) findings.add(about(at, value, `should be ${than} ${text(maximum)}`));
  }
}

function isMultiple(value: number, factor: number): boolean {
  if (isInt64(value) && isInt64(factor)) return value % factor === 0;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  if (Math.abs(times) > Number.MAX_SAFE_INTEGER) return false;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** Checks that a number fits its type. A bound that does not fit is reported, but still used. */
function checkRange(value: number, type: string, format: string, what: string, at: string, findings: Findings): void {
  const { min, max } = format === "int32" ? int32 : int64;
  const fits =
    type === "integer"
      ? isInt64(value) && value >= min && value <= max
      : format !== "float" || Math.abs(value) <= float32Max;
  if (fits) return;
  const how = format === "" ? `${type} (default format)` : `${type} with format ${format}`;
  findings.add(overall(`${what} value must be of type ${how} in ${at}`));
}
