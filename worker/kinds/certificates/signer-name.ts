// The name of a signer: a domain and a path, `example.com/signer`.
import { utf8Length } from "../../../shared/base/utf8.ts";
import { type FieldError, type FieldPath, invalid, required, tooLong } from "../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";

const legacy = "kubernetes.io/legacy-unknown";
const maxDomainBytes = 253;
/** A label and a subdomain fit into the path. */
const maxBytes = maxDomainBytes + 1 + (253 + 63 + 1);

export function validateSignerName(name: string, at: FieldPath): FieldError[] {
  if (name === legacy) return [invalid(at, name, "the legacy signerName is not allowed via this API version")];
  if (!name) return [required(at)];
  const [domain = "", rest, ...more] = name.split("/");
  if (rest === undefined || more.length) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(at, name, why)];
  }
  const labels = domain.split(".");
  const errors: FieldError[] = utf8Length(domain) > maxDomainBytes ? [tooLong(at, maxDomainBytes)] : [];
  errors.push(...validateParts(labels, domain, dns1123Label, at));
  if (labels.length < 2) {
    errors.push(invalid(at, domain, "should be a domain with at least two segments separated by dots"));
  }
  errors.push(...validateParts(rest.split("."), rest, dns1123Subdomain, at));
  if (utf8Length(name) > maxBytes) errors.push(tooLong(at, maxBytes));
  return errors;
}

/** Only the first part that is wrong is told. */
function validateParts(parts: readonly string[], whole: string, check: (part: string) => string[], at: FieldPath) {
  const wrong = parts.find((part) => check(part).length > 0);
  if (wrong === undefined) return [];
  return check(wrong).map((message) => invalid(at, whole, `validating label ${JSON.stringify(wrong)}: ${message}`));
}
