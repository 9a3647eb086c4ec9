// Validates a value against the schema of a custom resource, in the words of upstream's kube-openapi. Values that an update does not change
// are not refused.
import { keptPattern } from "../../base/kept-patterns.ts";
import { isPattern } from "../../base/pattern.ts";
import { type FieldError, type FieldPath, rootPath } from "../../k8s/field.ts";
import { isInt64 } from "../../k8s/go-text.ts";
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { TooMuchWork, type WorkMeter } from "../../k8s/bounds/work.ts";
import { equalJson, isObject, type JsonObject } from "../json-values.ts";
import type { Correlation } from "./correlation.ts";
import { formatCheck, isKnownFormat } from "./formats.ts";
import type { SchemaNode } from "./node.ts";
import { checkNumber } from "./numbers.ts";
import {
  about,
  Findings,
  forbiddenField,
  longerThan,
  missing,
  moreThan,
  notAmong,
  overall,
  wrongType,
} from "./problems.ts";

/** Validates a value. `correlation` has the previous value; `at` is the path of the value in its object. */
export function validateValue(
  node: SchemaNode,
  value: unknown,
  meter: WorkMeter,
  correlation?: Correlation,
  at: FieldPath = rootPath,
): FieldError[] {
  return check(node, value, "", meter, correlation).problems.map(({ at: place, error }) => {
    const name = (place ?? "").replace(/^\./, "");
    const path = name === "" || name === "." ? at : at.child(name);
    const fieldError = error(path);
    // Upstream prints an empty path like this.
    return fieldError.field === "" ? { ...fieldError, field: "<nil>" } : fieldError;
  });
}

/** The work of checking a value, or a member, against one schema, and of comparing it with one value of an enum. */
const nodeWork = 0.2;
const enumWork = 0.02;

/** Upstream's SchemaValidator.Validate: runs its validators in their order. */
function check(node: SchemaNode, value: unknown, at: string, meter: WorkMeter, correlation?: Correlation): Findings {
  const findings = checkNested(node, value, at, meter, correlation);
  // An unchanged value is not refused.
  if (!findings.isValid && correlation?.isEqual) findings.clear();
  return findings;
}

function checkValue(
  node: SchemaNode,
  value: unknown,
  at: string,
  correlation: Correlation | undefined,
  findings: Findings,
): void {
  const types = typesOf(node);
  const format = formatOf(node, types);
  if (types.length > 0 || format !== "") {
    checkType(types, format, value, at, findings);
    findings.matches++;
  }
  checkAlternatives(node, value, at, correlation, findings);
  findings.matches++;
  if (typeof value === "string") {
    checkText(node, value, at, findings);
    findings.matches++;
    if (formatCheck(format)) {
      if (!formatCheck(format)?.(value)) findings.add(wrongType(at, format, value));
      findings.matches++;
    }
  }
  if (typeof value === "number") {
    checkNumber(node.props, types, format, value, at, findings);
    findings.matches += 2;
  }
  if (Array.isArray(value)) {
    checkList(node, value, at, correlation, findings);
    findings.matches += 2;
  }
  checkEnum(node.props, value, at, findings);
  findings.matches++;
  if (isObject(value)) {
    checkObject(node, value, at, correlation, findings);
    findings.matches++;
  }
  findings.matches++;
}

function typesOf({ type, isIntOrString }: SchemaNode): readonly string[] {
  if (isIntOrString) return ["integer", "string"];
  return type === "" ? [] : [type];
}

/** Returns the format; "" if it does not apply to the type. */
function formatOf({ props: { format = "" } }: SchemaNode, types: readonly string[]): string {
  const [only = ""] = types;
  return format !== "" && isKnownFormat(format, types.length === 1 ? only : "") ? format : "";
}

function checkNull(node: SchemaNode, at: string, findings: Findings): void {
  const types = typesOf(node);
  if (types.length > 0 && !types.includes("null") && !node.isNullable)
    findings.add(wrongType(at, types.join(","), "null"));
  else findings.matches++;
}

function checkType(types: readonly string[], format: string, value: unknown, at: string, findings: Findings): void {
  const is = typeOf(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const fits = types.includes(is) || (is === "integer" && types.includes("number"));
  const isText = is === "string" || is === "array";
  const width = is === "integer" ? "int64" : is === "number" ? "float64" : "";
  if (!isText && format !== "" && !fits && format !== width) findings.add(wrongType(at, format, width));
  else if (isText && format !== "" && !isNumeric) findings.matches++;
  else if (fits) findings.matches++;
  else findings.add(wrongType(at, types.join(","), is));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInt64(value) ? "integer" : "number";
  return typeof value;
}

function checkText({ props }: SchemaNode, value: string, at: string, findings: Findings): void {
  const { minLength, maxLength } = props;
  const length = maxLength === undefined && minLength === undefined ? 0 : lengthOf(value);
  if (maxLength !== undefined && length > maxLength) findings.add(longerThan(at, maxLength));
  else if (minLength !== undefined && length < minLength) {
    findings.add(about(at, value, `should be at least ${minLength} chars long`));
  } else if (props.pattern) {
    if (!isMatch(props.pattern, value, at, findings.meter)) {
      findings.add(about(at, value, `should match '${props.pattern}'`));
    }
  }
}

/** Reports whether a text matches. Throws `TooMuchWork` with the place and the pattern if that would take too long. */
function isMatch(source: string, value: string, at: string, meter: WorkMeter): boolean {
  const spend = (units: number) => {
    if (meter.tryCharge(units)) return true;
    throw new TooMuchWork(`Request entity too large: ${at} in body takes too long to be matched with '${source}'`);
  };
  const pattern = keptPattern(source, spend);
  return isPattern(pattern) && pattern.test(value, spend);
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function checkEnum({ enum: values }: JSONSchemaProps, value: unknown, at: string, findings: Findings): void {
  if (!values || values.length === 0) return;
  findings.meter.charge(enumWork * values.length);
  if (value !== null && values.some((allowed) => equalJson(allowed, convertedTo(allowed, value)))) return;
  findings.add(notAmong(at, value, values));
}

/** Converts a number to the type of another value, like Go. */
function convertedTo(target: unknown, value: unknown): unknown {
  if (typeof value !== "number") return value;
  if (typeof target === "number") return isInt64(target) ? Math.trunc(value) : value;
  if (typeof target !== "string" || !isInt64(value)) return value;
  return String.fromCodePoint(value >= 0 && value <= 0x10ffff ? value : 0xfffd);
}

function checkList(
  node: SchemaNode,
  list: readonly unknown[],
  at: string,
  correlation: Correlation | undefined,
  findings: Findings,
): void {
  const items = node.items();
  if (items) {
    for (let index = 0; index < list.length; index++) {
      findings.merge(check(items, list[index], `${at}[${index}]`, findings.meter, correlation?.index(index)));
    }
  }
  const { minItems, maxItems } = node.props;
  if (minItems !== undefined && list.length < minItems) {
    findings.add(about(at, list.length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) findings.add(moreThan(at, list.length, maxItems, "items"));
}

function checkObject(
  node: SchemaNode,
  object: JsonObject,
  at: string,
  correlation: Correlation | undefined,
  findings: Findings,
): void {
  const names = Object.keys(object);
  const { minProperties, maxProperties, required = [] } = node.props;
  if (minProperties !== undefined && names.length < minProperties) {
    findings.add(about(at, names.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    findings.add(moreThan(at, names.length, maxProperties, "properties"));
  }
  const additional = node.additional();
  for (const name of names) {
    const field = node.property(name);
    const before = at === "" && (name === "kind" || name === "apiVersion") ? undefined : correlation?.key(name);
    if (field) findings.merge(check(field, object[name], at === "" ? name : `${at}.${name}`, findings.meter, before));
    else if (typeof additional === "object")
      findings.merge(check(additional, object[name], `${at}.${name}`, findings.meter, before));
    else if (additional === false) {
      findings.add(forbiddenField(at, name));
    }
  }
  for (const name of required) if (!Object.hasOwn(object, name)) findings.add(missing(`${at}.${name}`));
}

/** Checks anyOf, oneOf, allOf and not, in upstream's order. */
function checkAlternatives(
  node: SchemaNode,
  value: unknown,
  at: string,
  correlation: Correlation | undefined,
  findings: Findings,
): void {
  findings.matches++;
  if (!node.hasAlternatives) return;
  const { anyOf = [], oneOf = [], allOf = [], not } = node.props;
  const tried = (alternative: JSONSchemaProps) =>
    checkNested(node.nested(alternative), value, at, findings.meter, correlation);
  const quoted = JSON.stringify(at);
  if (anyOf.length > 0) {
    const results: Findings[] = [];
    for (const alternative of anyOf) {
      results.push(tried(alternative));
      if (results.at(-1)?.isValid) break;
    }
    if (!results.at(-1)?.isValid) findings.add(overall(`${quoted} must validate at least one schema (anyOf)`));
    findings.merge(results.find((result) => result.isValid) ?? best(results, findings.meter));
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(tried);
    const valid = results.filter((result) => result.isValid);
    if (valid.length !== 1) {
      const many = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
      findings.add(overall(`${quoted} must validate one and only one schema (oneOf). ${many}`));
      if (valid.length === 0) findings.merge(best(results, findings.meter));
    } else if (valid[0]) findings.merge(valid[0]);
  }
  if (allOf.length > 0) {
    const results = allOf.map(tried);
    for (const result of results) findings.merge(result);
    const valid = results.filter((result) => result.isValid).length;
    const none = valid === 0 ? ". None validated" : "";
    if (valid !== allOf.length) findings.add(overall(`${quoted} must validate all the schemas (allOf)${none}`));
  }
  if (not && tried(not).isValid) findings.add(overall(`${quoted} must not validate the schema (not)`));
}

/** Checks an alternative. The correlation excuses only values below it, not the alternative as such. */
function checkNested(
  node: SchemaNode,
  value: unknown,
  at: string,
  meter: WorkMeter,
  correlation: Correlation | undefined,
): Findings {
  const findings = new Findings(meter);
  meter.charge(nodeWork);
  if (value === null || value === undefined) {
    checkNull(node, at, findings);
    checkEnum(node.props, null, at, findings);
  } else {
    checkValue(node, value, at, correlation, findings);
  }
  return findings;
}

/** Returns the first of the results that matched the most of the schema. */
function best(results: readonly Findings[], meter: WorkMeter): Findings {
  let bestResult = results[0] ?? new Findings(meter);
  for (const result of results) if (result.matches > bestResult.matches) bestResult = result;
  return bestResult;
}
