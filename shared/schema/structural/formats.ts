// The string formats that upstream checks (kube-openapi's strfmt), by name without dashes.
import { parseDuration } from "../durations.ts";

type Check = (text: string) => boolean;

const octet = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const creditCard =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

const checks: Readonly<Record<string, Check>> = {
  bsonobjectid: matching(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: matching(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4,6}[0-9a-f]{2}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2,3}|[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i,
  ),
  uuid: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matching(new RegExp(`^rgb\\(\\s*${octet}\\s*,\\s*${octet}\\s*,\\s*${octet}\\s*\\)$`)),
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && label.test(text),
  k8slongname: (text) => text.length <= 253 && text.split(".").every((labelText) => label.test(labelText)),
};

/** Returns the check of a format; undefined if the format is unknown. */
export function formatCheck(format: string): Check | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

/** Reports whether upstream checks a format for a type; it warns about others. */
export function isKnownFormat(format: string, type: string): boolean {
  if (type === "" || type === "string") return formatCheck(format) !== undefined;
  if (type === "integer") return format === "int32" || format === "int64";
  return type === "number" && (format === "float" || format === "double");
}

function matching(pattern: RegExp): Check {
  return (text) => pattern.test(text);
}

/** Checks for an absolute URI or an absolute path, as Go's url.ParseRequestURI does. */
function isRequestUri(text: string): boolean {
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === "*") return true;
  if (text.startsWith("/")) return !/%(?![0-9a-fA-F]{2})/.test(text);
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/s.exec(text);
  if (!match) return false;
  const rest = match[1] ?? "";
  // A URI that is not hierarchical only needs a scheme.
  if (!rest.startsWith("/")) return true;
  if (!rest.startsWith("//")) return !/%(?![0-9a-fA-F]{2})/.test(rest);
  const authority = rest.slice(2).split(/[/?#]/)[0] ?? "";
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (/[ <>"\\^`{|}]/.test(host)) return false;
  const port = /:([^:\]]*)$/.exec(host)?.[1] ?? "";
  return /^\d*$/.test(port) && !/%(?![0-9a-fA-F]{2})/.test(rest);
}

function isEmail(text: string): boolean {
  const address = /^(?:[^<>]*<([^<>\s]+)>|([^\s<>]+))$/.exec(text.trim());
  const spec = address?.[1] ?? address?.[2] ?? "";
  return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+)*@[^@\s]+$/.test(
    spec,
  );
}

function isHostname(text: string): boolean {
  const form =
    /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
  // The length is checked first, because the pattern backtracks.
  return text.length <= 255 && text.split(".").every((labelText) => labelText.length <= 63) && form.test(text);
}

function isIpv4(text: string): boolean {
  const decimals = text.split(".");
  if (text.includes(":")) return text.includes(".") && isIpv6(text);
  return decimals.length === 4 && decimals.every((decimal) => /^\d+$/.test(decimal) && Number(decimal) <= 255);
}

function isIpv6(text: string): boolean {
  if (!text.includes(":") || text.includes("%")) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [index, half] of halves.entries()) {
    const groupTexts = half === "" ? [] : half.split(":");
    for (const [at, group] of groupTexts.entries()) {
      const isLast = index === halves.length - 1 && at === groupTexts.length - 1;
      if (isLast && group.includes(".")) {
        if (!isPlainIpv4(group)) return false;
        groups += 2;
      } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) groups++;
      else return false;
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}

function isPlainIpv4(text: string): boolean {
  const decimals = text.split(".");
  return (
    decimals.length === 4 && decimals.every((decimal) => /^(?:0|[1-9]\d{0,2})$/.test(decimal) && Number(decimal) <= 255)
  );
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  if (more.length > 0 || !/^\d+$/.test(bits)) return false;
  if (isIpv6(address)) return Number(bits) <= 128;
  return !address.includes(":") && isIpv4(address) && Number(bits) <= 32;
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = [...digits].reduce((all, digit, at) => all + (at + 1) * (digit === "X" ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits.slice(0, 12)].reduce((all, digit, at) => all + (at % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, "");
  if (!creditCard.test(digits)) return false;
  const sum = [...digits].reverse().reduce((all, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return all + (doubled >= 10 ? (doubled % 10) + 1 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (text.length < 4 || time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  if (!match) return false;
  const [, hour = "", minute = "", second = ""] = match;
  return hour <= "23" && minute <= "59" && second <= "59";
}

const units = ["ns", "nano", "us", "µs", "micro", "ms", "milli", "s", "sec", "m", "min", "h", "hr", "hour"];
const longUnits = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

/** Checks for a duration as Go writes it, or with words for units: 22 ns, 3 days. */
function isDuration(text: string): boolean {
  if (typeof parseDuration(text) === "bigint") return true;
  const unitNames = new Set([...units, "d", "day", "w", "wk", "week"]);
  return [...text.matchAll(/(?=[A-Za-zµ])(?<=\d\s*)[A-Za-zµ]+/g)].some(([word]) => {
    const unit = word.toLowerCase();
    return unitNames.has(unit) || longUnits.some((prefix) => unit.startsWith(prefix));
  });
}
