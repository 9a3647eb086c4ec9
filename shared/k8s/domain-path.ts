// A path with a domain before it, `acme.io/foo` (upstream: `IsDomainPrefixedPath`).
import { type FieldError, type FieldPath, invalid, required } from "./field.ts";
import { dns1123Subdomain } from "./names.ts";

const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${pathForm}$`);

export function domainPathErrors(value: string, at: FieldPath): FieldError[] {
  if (!value) return [required(at)];
  const slash = value.indexOf("/");
  const [host, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (!host || !rest) return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = dns1123Subdomain(host).map((message) => invalid(at, host, message));
  if (pathPattern.test(rest)) return errors;
  return [...errors, invalid(at, rest, `Invalid path (regex used for validation is '${pathForm}')`)];
}
