// Who looks after a job, if not the cluster: a name in a domain, `acme.io/jobs`.
import { utf8Length } from "../../../shared/base/utf8.ts";
import { type FieldError, type FieldPath, invalid, required, tooLong } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { each } from "../pods/checks.ts";

const bytesMax = 63;
const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${pathForm}$`);

export function validateManagedBy(value: string, at: FieldPath): FieldError[] {
  const errors = validateDomainPrefixedPath(value, at);
  return utf8Length(value) > bytesMax ? [...errors, tooLong(at, bytesMax)] : errors;
}

function validateDomainPrefixedPath(value: string, at: FieldPath): FieldError[] {
  if (!value) return [required(at)];
  const slash = value.indexOf("/");
  const [host, path] = [value.slice(0, Math.max(0, slash)), value.slice(slash + 1)];
  if (slash < 0 || !host || !path) {
    return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = each(dns1123Subdomain(host), at, host);
  if (pathPattern.test(path)) return errors;
  return [...errors, invalid(at, path, `Invalid path (regex used for validation is '${pathForm}')`)];
}
