// Validation of a value against the schema of a custom resource, in the words of upstream's kube-openapi. What an update leaves
// as it was is not refused for it.
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

/** `correlation` tells what was there before; `at` is where the value stands in its object. */
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
    const made = error(path);
    // Where upstream has no path, it says so.
    return made.field === "" ? { ...made, field: "<nil>" } : made;
  });
}

/** Work of checking a value, or a member, against one schema; of comparing it with one value of an enum. */
const nodeWork = 0.2;
const enumWork = 0.02;

/** Upstream's SchemaValidator.Validate: its validators in their order. */
function check(node: SchemaNode, value: unknown, at: string, meter: WorkMeter, correlation?: Correlation): Findings {
  const found = new Findings(meter);
  meter.charge(nodeWork);
  if (value === null || value === undefined) {
    checkNull(node, at, found);
    checkEnum(node.props, null, at, found);
  } else {
    checkValue(node, value, at, correlation, found);
  }
  // What is as it was stays as it is.
  if (!found.isValid && correlation?.isEqual) found.clear();
  return found;
}

function checkValue(
  node: SchemaNode,
  value: unknown,
  at: string,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  const types = typesOf(node);
  const format = formatOf(node, types);
  if (types.length > 0 || format !== "") {
    checkType(types, format, value, at, found);
    found.matches++;
  }
  checkAlternatives(node, value, at, correlation, found);
  found.matches++;
  if (typeof value === "string") {
    checkText(node, value, at, found);
    found.matches++;
    if (formatCheck(format)) {
      if (!formatCheck(format)?.(value)) found.add(wrongType(at, format, value));
      found.matches++;
    }
  }
  if (typeof value === "number") {
    checkNumber(node.props, types, format, value, at, found);
    found.matches += 2;
  }
  if (Array.isArray(value)) {
    checkList(node, value, at, correlation, found);
    found.matches += 2;
  }
  checkEnum(node.props, value, at, found);
  found.matches++;
  if (isObject(value)) {
    checkObject(node, value, at, correlation, found);
    found.matches++;
  }
  found.matches++;
}

function typesOf({ type, isIntOrString }: SchemaNode): readonly string[] {
  if (isIntOrString) return ["integer", "string"];
  return type === "" ? [] : [type];
}

/** A format that means nothing on a type is as none. */
function formatOf({ props: { format = "" } }: SchemaNode, types: readonly string[]): string {
  const [only = ""] = types;
  return format !== "" && isKnownFormat(format, types.length === 1 ? only : "") ? format : "";
}

function checkNull(node: SchemaNode, at: string, found: Findings): void {
  const types = typesOf(node);
  if (types.length > 0 && !types.includes("null") && !node.isNullable)
    found.add(wrongType(at, types.join(","), "null"));
  else found.matches++;
}

function checkType(types: readonly string[], format: string, value: unknown, at: string, found: Findings): void {
  const is = typeOf(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const fits = types.includes(is) || (is === "integer" && types.includes("number"));
  const isText = is === "string" || is === "array";
  const width = is === "integer" ? "int64" : is === "number" ? "float64" : "";
  if (!isText && format !== "" && !fits && format !== width) found.add(wrongType(at, format, width));
  else if (isText && format !== "" && !isNumeric) found.matches++;
  else if (fits) found.matches++;
  else found.add(wrongType(at, types.join(","), is));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInt64(value) ? "integer" : "number";
  return typeof value;
}

function checkText({ props }: SchemaNode, value: string, at: string, found: Findings): void {
  const { minLength, maxLength } = props;
  const length = maxLength === undefined && minLength === undefined ? 0 : lengthOf(value);
  if (maxLength !== undefined && length > maxLength) found.add(longerThan(at, maxLength));
  else if (minLength !== undefined && length < minLength) {
    found.add(about(at, value, `should be at least ${minLength} chars long`));
  } else if (props.pattern) {
    if (!isMatch(props.pattern, value, at, found.meter)) {
      found.add(about(at, value, `should match '${props.pattern}'`));
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

function checkEnum({ enum: values }: JSONSchemaProps, value: unknown, at: string, found: Findings): void {
  if (!values || values.length === 0) return;
  found.meter.charge(enumWork * values.length);
  if (value !== null && values.some((one) => equalJson(one, convertedTo(one, value)))) return;
  found.add(notAmong(at, value, values));
}

/** As Go converts a number to the type of another value. */
function convertedTo(one: unknown, value: unknown): unknown {
  if (typeof value !== "number") return value;
  if (typeof one === "number") return isInt64(one) ? Math.trunc(value) : value;
  if (typeof one !== "string" || !isInt64(value)) return value;
  return String.fromCodePoint(value >= 0 && value <= 0x10ffff ? value : 0xfffd);
}

function checkList(
  node: SchemaNode,
  list: readonly unknown[],
  at: string,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  const items = node.items();
  if (items) {
    for (let index = 0; index < list.length; index++) {
      found.merge(check(items, list[index], `${at}[${index}]`, found.meter, correlation?.index(index)));
    }
  }
  const { minItems, maxItems } = node.props;
  if (minItems !== undefined && list.length < minItems) {
    found.add(about(at, list.length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) found.add(moreThan(at, list.length, maxItems, "items"));
}

function checkObject(
  node: SchemaNode,
  object: JsonObject,
  at: string,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  const names = Object.keys(object);
  const { minProperties, maxProperties, required = [] } = node.props;
  if (minProperties !== undefined && names.length < minProperties) {
    found.add(about(at, names.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    found.add(moreThan(at, names.length, maxProperties, "properties"));
  }
  const additional = node.additional();
  for (const name of names) {
    const field = node.property(name);
    const before = at === "" && (name === "kind" || name === "apiVersion") ? undefined : correlation?.key(name);
    if (field) found.merge(check(field, object[name], at === "" ? name : `${at}.${name}`, found.meter, before));
    else if (typeof additional === "object")
      found.merge(check(additional, object[name], `${at}.${name}`, found.meter, before));
    else if (additional === false) {
      found.add(forbiddenField(at, name));
    }
  }
  for (const name of required) if (!Object.hasOwn(object, name)) found.add(missing(`${at}.${name}`));
}

/** anyOf, oneOf, allOf and not, in upstream's order. */
function checkAlternatives(
  node: SchemaNode,
  value: unknown,
  at: string,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  found.matches++;
  if (!node.hasAlternatives) return;
  const { anyOf = [], oneOf = [], allOf = [], not } = node.props;
  const tried = (one: JSONSchemaProps) => checkNested(node.nested(one), value, at, found.meter, correlation);
  const quoted = JSON.stringify(at);
  if (anyOf.length > 0) {
    const results: Findings[] = [];
    for (const one of anyOf) {
      results.push(tried(one));
      if (results.at(-1)?.isValid) break;
    }
    if (!results.at(-1)?.isValid) found.add(overall(`${quoted} must validate at least one schema (anyOf)`));
    found.merge(results.find((one) => one.isValid) ?? best(results, found.meter));
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(tried);
    const valid = results.filter((one) => one.isValid);
    if (valid.length !== 1) {
      const many = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
      found.add(overall(`${quoted} must validate one and only one schema (oneOf). ${many}`));
      if (valid.length === 0) found.merge(best(results, found.meter));
    } else if (valid[0]) found.merge(valid[0]);
  }
  if (allOf.length > 0) {
    const results = allOf.map(tried);
    for (const one of results) found.merge(one);
    const valid = results.filter((one) => one.isValid).length;
    const none = valid === 0 ? ". None validated" : "";
    if (valid !== allOf.length) found.add(overall(`${quoted} must validate all the schemas (allOf)${none}`));
  }
  if (not && tried(not).isValid) found.add(overall(`${quoted} must not validate the schema (not)`));
}

/** An alternative as a whole is not excused by what was: only what is below it is. */
function checkNested(
  node: SchemaNode,
  value: unknown,
  at: string,
  meter: WorkMeter,
  correlation: Correlation | undefined,
): Findings {
  const found = new Findings(meter);
  meter.charge(nodeWork);
  if (value === null || value === undefined) {
    checkNull(node, at, found);
    checkEnum(node.props, null, at, found);
  } else {
    checkValue(node, value, at, correlation, found);
  }
  return found;
}

/** The one that most of the schema was met by: the first of equals. */
function best(results: readonly Findings[], meter: WorkMeter): Findings {
  let found = results[0] ?? new Findings(meter);
  for (const one of results) if (one.matches > found.matches) found = one;
  return found;
}
