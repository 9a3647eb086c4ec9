// Validates CertificateSigningRequests and the changes by each subresource.
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from "../../../shared/k8s/api/certificates-v1.ts";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  path,
  required,
  type FieldPath,
  tooLong,
} from "../../../shared/k8s/field.ts";
import { pemBlocksOfBase64 } from "../../../shared/x509/pem.ts";
import { countCertificates } from "../../../shared/x509/certificate.ts";
import { parseRequest } from "../../../shared/x509/request.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { dns1123Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";

const usages: readonly string[] = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const legacy = "kubernetes.io/legacy-unknown";
const maxDomainBytes = 253;
/** The maximum length: a namespace and a name fit into the path. */
const maxBytes = maxDomainBytes + 1 + (253 + 63 + 1);

type Csr = CertificateSigningRequest;

/** The types of conditions that cannot be removed, and whose status is True. */
const finalTypes = ["Approved", "Denied", "Failed"];
const minExpirySeconds = 600;
const conditionsAt = path("status", "conditions");
const certificateAt = path("status", "certificate");

export function validateCsr({ spec, status }: Csr): FieldError[] {
  const at = path("spec");
  const errors: FieldError[] = [];
  const parsed = parseRequest(spec.request);
  if (typeof parsed === "string") errors.push(invalid(at.child("request"), spec.request || null, parsed));
  const requested: readonly string[] = spec.usages ?? [];
  if (!requested.length) errors.push(required(at.child("usages")));
  requested.forEach((usage, index) => {
    if (!usages.includes(usage)) errors.push(notSupported(at.child("usages").index(index), usage, usages));
  });
  requested.forEach((usage, index) => {
    if (requested.indexOf(usage) < index) errors.push(duplicate(at.child("usages").index(index), usage));
  });
  errors.push(...validateSignerName(spec.signerName, at.child("signerName")));
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < minExpirySeconds) {
    const why = "may not specify a duration less than 600 seconds (10 minutes)";
    errors.push(invalid(at.child("expirationSeconds"), spec.expirationSeconds, why));
  }
  return [...errors, ...validateConditions(status.conditions ?? [])];
}

/** Validates an update of `status`, which may change everything but the decision. */
export function validateStatusWrite(next: Csr, previous: Csr): FieldError[] {
  return [
    ...validateCsr(next),
    ...validateCertificate(next, previous),
    ...validateKept(next, previous),
    ...validateDecision(next, previous),
    ...(isNewCertificate(next, previous) && previous.status.certificate
      ? [forbidden(certificateAt, "updates may not modify existing certificate content")]
      : []),
  ];
}

/** Validates an update of `approval`, which changes the decision. */
export function validateApproval(next: Csr, previous: Csr): FieldError[] {
  return [...validateCsr(next), ...validateKept(next, previous)];
}

function validateConditions(conditions: readonly CertificateSigningRequestCondition[]): FieldError[] {
  const types = conditions.map(({ type }) => type);
  return conditions.flatMap(({ type, status }, index) => {
    const at = conditionsAt.index(index);
    const errors: FieldError[] = [];
    if (!type) errors.push(required(at.child("type")));
    const allowed = finalTypes.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (!status) errors.push(required(at.child("status")));
    else if (!allowed.includes(status)) errors.push(notSupported(at.child("status"), status, allowed));
    const before = types.slice(0, index);
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (opposite && before.includes(opposite)) {
      errors.push(invalid(conditionsAt, type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (before.includes(type)) errors.push(duplicate(at.child("type"), type));
    return errors;
  });
}

/** Validates that final conditions stay. */
function validateKept(next: Csr, previous: Csr): FieldError[] {
  const gone = finalTypes.filter((type) => count(next, type) < count(previous, type));
  return gone.map((type) => forbidden(conditionsAt, `updates may not remove a condition of type "${type}"`));
}

function validateDecision(next: Csr, previous: Csr): FieldError[] {
  const added = ["Approved", "Denied"].filter((type) => count(next, type) > count(previous, type));
  return added.map((type) => forbidden(conditionsAt, `updates may not add a condition of type "${type}"`));
}

function count({ status }: Csr, type: string): number {
  return (status.conditions ?? []).filter((condition) => condition.type === type).length;
}

function isNewCertificate(next: Csr, previous: Csr): boolean {
  return (next.status.certificate ?? "") !== (previous.status.certificate ?? "");
}

function validateCertificate(next: Csr, previous: Csr): FieldError[] {
  const certificate = next.status.certificate ?? "";
  if (!certificate || !isNewCertificate(next, previous)) return [];
  const problem = certificateProblem(certificate);
  return problem ? [invalid(certificateAt, "<certificate data>", problem)] : [];
}

function certificateProblem(base64: string): string | undefined {
  const blocks = pemBlocksOfBase64(base64);
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found "${type}"`;
    if (hasHeaders) return "no PEM block headers are permitted";
    const count = countCertificates(bytes);
    if (count === undefined) return "x509: malformed certificate";
    if (count === 0) return "found CERTIFICATE PEM block containing 0 certificates";
  }
  return blocks.length ? undefined : "must contain at least one CERTIFICATE PEM block";
}

function validateSignerName(name: string, at: FieldPath): FieldError[] {
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

/** Returns the error of the first invalid segment only. */
function validateParts(
  segments: readonly string[],
  fullName: string,
  check: (segment: string) => string[],
  at: FieldPath,
) {
  const invalidSegment = segments.find((candidate) => check(candidate).length > 0);
  if (invalidSegment === undefined) return [];
  return check(invalidSegment).map((message) =>
    invalid(at, fullName, `validating label ${JSON.stringify(invalidSegment)}: ${message}`),
  );
}
