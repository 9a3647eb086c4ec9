// Rules of names: upstream's `util/validation`. Each function returns error messages, none if the name is valid.
import { utf8Length } from "../base/utf8.ts";
import { type FieldError, type FieldPath, invalid, required } from "./field.ts";

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const labelUnderscore = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const subdomainUnderscore = `${labelUnderscore}(\\.${labelUnderscore})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const wildcard1123 = `\\*\\.${subdomain1123}`;
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValueForm = `(${labelKey})?`;
const cIdentifierForm = "[A-Za-z_][A-Za-z0-9_]*";
const portNameCharacters = /^[-a-z0-9]+$/;
const percentForm = "[0-9]+%";
const httpHeaderForm = "[-A-Za-z0-9]+";
const conditionReasonForm = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const configMapKeyForm = "[-._a-zA-Z0-9]+";

/** Messages show the form as upstream writes it. The test needs no capturing groups. */
const anchored = (form: string) => `^${form.replaceAll("(", "(?:")}$`;
const label1123Pattern = new RegExp(anchored(label1123));
const subdomain1123Pattern = new RegExp(anchored(subdomain1123));
const subdomainUnderscorePattern = new RegExp(anchored(subdomainUnderscore));
const label1035Pattern = new RegExp(anchored(label1035));
const wildcard1123Pattern = new RegExp(anchored(wildcard1123));
const labelKeyPattern = new RegExp(anchored(labelKey));
const labelValuePattern = new RegExp(anchored(labelValueForm));
const cIdentifierPattern = new RegExp(anchored(cIdentifierForm));
const percentPattern = new RegExp(anchored(percentForm));
const httpHeaderPattern = new RegExp(anchored(httpHeaderForm));
const conditionReasonPattern = new RegExp(anchored(conditionReasonForm));
const configMapKeyPattern = new RegExp(anchored(configMapKeyForm));

const labelKeyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export function dns1123Label(value: string): string[] {
  const errors = maxLength(value, 63);
  if (label1123Pattern.test(value)) return errors;
  if (subdomain1123Pattern.test(value)) return [...errors, "must not contain dots"];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, regexMessage(message, label1123, "my-name", "123-abc")];
}

export function dns1123Subdomain(value: string): string[] {
  return [...maxLength(value, 253), ...subdomainForm(value)];
}

function subdomainForm(value: string): string[] {
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return matching(value, subdomain1123Pattern, message, subdomain1123, "example.com");
}

export function dns1123SubdomainWithUnderscore(value: string): string[] {
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [
    ...maxLength(value, 253),
    ...matching(value, subdomainUnderscorePattern, message, subdomainUnderscore, "example.com"),
  ];
}

export function dns1035Label(value: string): string[] {
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...maxLength(value, 63), ...matching(value, label1035Pattern, message, label1035, "my-name", "abc-123")];
}

export function wildcardDns1123Subdomain(value: string): string[] {
  const message =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...maxLength(value, 253), ...matching(value, wildcard1123Pattern, message, wildcard1123, "*.example.com")];
}

/** Validates label keys, annotation keys, finalizers and resource names: `prefix/name`. */
export function qualifiedName(value: string): string[] {
  const examples = ["MyName", "my.name", "123-abc"];
  const segments = value.split("/");
  if (segments.length > 2) {
    const message = regexMessage(labelKeyMessage, labelKey, ...examples);
    return [`a valid label key ${message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = segments[segments.length - 1] ?? "";
  const errors: string[] = [];
  if (segments.length === 2) {
    const prefix = segments[0] ?? "";
    const wrong = prefix ? [...maxBytes(prefix, 253), ...subdomainForm(prefix)] : ["must be non-empty"];
    errors.push(...wrong.map((message) => `prefix part ${message}`));
  }
  if (!name) errors.push("name part must be non-empty");
  errors.push(...maxBytes(name, 63).map((message) => `name part ${message}`));
  if (!labelKeyPattern.test(name)) errors.push(`name part ${regexMessage(labelKeyMessage, labelKey, ...examples)}`);
  return errors;
}

export function labelValue(value: string): string[] {
  // A selector may have thousands of values, and nearly all are valid.
  if (value.length <= 63 && labelValuePattern.test(value)) return [];
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [
    ...maxBytes(value, 63),
    ...matching(value, labelValuePattern, message, labelValueForm, "MyValue", "my_value", "12345"),
  ];
}

export function cIdentifier(value: string): string[] {
  const message =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return matching(value, cIdentifierPattern, message, cIdentifierForm, "my_name", "MY_NAME", "MyName");
}

export function configMapKey(value: string): string[] {
  // An object may have very many keys, and nearly all are valid.
  if (value.length <= 253 && !value.startsWith(".") && configMapKeyPattern.test(value)) return [];
  const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  return [
    ...maxLength(value, 253),
    ...matching(value, configMapKeyPattern, message, configMapKeyForm, "key.name", "KEY_NAME", "key-name"),
    ...changesDirectory(value),
  ];
}

const envVarForm = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const envVarPattern = new RegExp(anchored(envVarForm));

/** Validates with upstream's strict form: kubectl refuses other names, the API only warns of them. */
export function strictEnvVarName(value: string): string[] {
  const message =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
  return [
    ...matching(value, envVarPattern, message, envVarForm, "my.env-name", "MY_ENV.NAME", "MyEnvName1"),
    ...changesDirectory(value),
  ];
}

/** Validates with upstream's relaxed form, which the API has accepted since 1.34. */
export function envVarName(value: string): string[] {
  const errors = value ? [] : ["environment variable name must be non-empty"];
  // Printable ASCII except "=".
  if (/[^ -<>-~]/.test(value)) {
    errors.push("a valid environment variable name must consist only of printable ASCII characters other than '='");
  }
  return errors;
}

export function portName(value: string): string[] {
  const errors = maxLength(value, 15);
  if (!portNameCharacters.test(value)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) errors.push("must contain at least one letter (a-z)");
  if (value.includes("--")) errors.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

export function portNumber(value: number): string[] {
  return inRange(value, 1, 65535);
}

/** Validates a Unix user or group id. */
export function unixId(value: number): string[] {
  return inRange(value, 0, 0x7fffffff);
}

export function inRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [`must be between ${low} and ${high}, inclusive`];
}

export function percent(value: string): string[] {
  const message = "a valid percent string must be a numeric string followed by an ending '%'";
  return matching(value, percentPattern, message, percentForm, "1%", "93%");
}

export function httpHeaderName(value: string): string[] {
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return matching(value, httpHeaderPattern, message, httpHeaderForm, "X-Header-Name");
}

/** Validates the reason of a `metav1.Condition`. */
export function conditionReason(value: string): string[] {
  const message =
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
  const examples = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
  return matching(value, conditionReasonPattern, message, conditionReasonForm, ...examples);
}

/** Upstream's `ValidatePathSegmentName`: validates the name of a kind without rules of its own. `prefix` is true for a `generateName`. */
export function validatePathSegmentName(name: string, prefix: boolean): string[] {
  return prefix ? pathSegmentPrefix(name) : pathSegmentName(name);
}

/** Validates a text that stands between two slashes of a path: names of roles, and names in references. */
export function pathSegmentName(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return pathSegmentPrefix(value);
}

/** Validates the beginning of such a name. */
export function pathSegmentPrefix(value: string): string[] {
  return ["/", "%"].filter((text) => value.includes(text)).map((text) => `may not contain '${text}'`);
}

/** Returns the `validateName` of a kind. A `generateName` is checked as it would be with upstream's suffix. */
export function unprefixed(check: (name: string) => string[]): (name: string, prefix: boolean) => string[] {
  return (name, prefix) => check(prefix ? maskTrailingDash(name) : name);
}

/** Replaces the dash that a prefix may end with. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

function maxLength(value: string, max: number): string[] {
  return utf8Length(value) > max ? [`must be no more than ${max} characters`] : [];
}

/** Checks the length of keys and values of labels, in upstream's newer words. */
function maxBytes(value: string, max: number): string[] {
  return utf8Length(value) > max ? [`must be no more than ${max} bytes`] : [];
}

function matching(value: string, pattern: RegExp, message: string, form: string, ...examples: string[]): string[] {
  return pattern.test(value) ? [] : [regexMessage(message, form, ...examples)];
}

function regexMessage(message: string, form: string, ...examples: string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${quoted}regex used for validation is '${form}')`;
}

function changesDirectory(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}

const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${pathForm}$`);

/** Validates a path that begins with a domain, such as `acme.io/foo` (upstream: `IsDomainPrefixedPath`). */
export function domainPathErrors(value: string, at: FieldPath): FieldError[] {
  if (!value) return [required(at)];
  const slash = value.indexOf("/");
  const [host, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (!host || !rest) return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = dns1123Subdomain(host).map((message) => invalid(at, host, message));
  if (pathPattern.test(rest)) return errors;
  return [...errors, invalid(at, rest, `Invalid path (regex used for validation is '${pathForm}')`)];
}
