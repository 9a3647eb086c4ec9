// Named formats: `!format.dns1123Label().validate(self.name).hasValue()`.
import { type Library, formatType } from "../functions.ts";
import { parseRequestUrl } from "../request-url.ts";
import { type OpaqueValue, type Value, list, noneValue, some } from "../values.ts";
import { canonicalBase64 } from "../../schema/base64.ts";
import { parseMoment } from "../../schema/timestamps.ts";
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  maskTrailingDash,
  qualifiedName,
} from "../../k8s/names.ts";

interface Format {
  readonly name: string;
  /** The length that costs assume for the pattern. */
  readonly pattern: number;
  problems(text: string): readonly string[];
}

const timePattern = 71;

const formats: Readonly<Record<string, Format>> = {
  dns1123Label: { name: "DNS1123Label", pattern: 30, problems: dns1123Label },
  dns1123Subdomain: { name: "DNS1123Subdomain", pattern: 60, problems: dns1123Subdomain },
  dns1035Label: { name: "DNS1035Label", pattern: 30, problems: dns1035Label },
  qualifiedName: { name: "QualifiedName", pattern: 60, problems: qualifiedName },
  dns1123LabelPrefix: { name: "DNS1123LabelPrefix", pattern: 30, problems: asPrefix(dns1123Label) },
  dns1123SubdomainPrefix: { name: "DNS1123SubdomainPrefix", pattern: 60, problems: asPrefix(dns1123Subdomain) },
  dns1035LabelPrefix: { name: "DNS1035LabelPrefix", pattern: 30, problems: asPrefix(dns1035Label) },
  labelValue: { name: "LabelValue", pattern: 40, problems: labelValue },
  uri: { name: "URI", pattern: 1103, problems: uriProblems },
  uuid: { name: "uuid", pattern: 70, problems: uuidProblems },
  byte: { name: "byte", pattern: 84, problems: byteProblems },
  date: { name: "date", pattern: timePattern, problems: dateProblems },
  datetime: { name: "datetime", pattern: timePattern, problems: datetimeProblems },
};

export const namedFormats: Library = {
  "format.named(string) optional(Format)": (name: string) => {
    const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
    return format ? some(valueOf(format)) : noneValue;
  },
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => [`format.${name}() Format`, () => valueOf(format)]),
  ),
  ".validate(Format, string) optional(list(string))": (value: OpaqueValue, text: string) => {
    // Only the functions above create values of this type.
    const problems = (value.data as Format).problems(text);
    return problems.length ? some(list(problems)) : noneValue;
  },
};

function valueOf(format: Format): Value {
  const equal = (value: OpaqueValue) => (value.data as Format).name === format.name;
  return { kind: "opaque", type: formatType, data: format, size: format.pattern, equal };
}

function asPrefix(check: (name: string) => string[]): (name: string) => string[] {
  return (name) => check(maskTrailingDash(name));
}

function uriProblems(text: string): string[] {
  const url = parseRequestUrl(text);
  return "error" in url ? [url.error] : [];
}

function uuidProblems(text: string): string[] {
  const isUuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
  return isUuid ? [] : ["does not match the UUID format"];
}

function byteProblems(text: string): string[] {
  const isBase64 = text !== "" && typeof canonicalBase64(text) === "string";
  return isBase64 ? [] : ["invalid base64"];
}

function dateProblems(text: string): string[] {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !("error" in parseMoment(`${text}T00:00:00Z`, false));
  return isDate ? [] : ["invalid date"];
}

function datetimeProblems(text: string): string[] {
  return "error" in parseMoment(text.replace(/[ t]/, "T").replace(/z$/, "Z"), false) ? ["invalid datetime"] : [];
}
