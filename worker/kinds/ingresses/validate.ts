// What an Ingress must be.
import type {
  HTTPIngressPath,
  Ingress,
  IngressRule,
  IngressSpec,
  IngressTLS,
} from "../../../shared/k8s/api/networking-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupported, path, required } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, wildcardDns1123Subdomain } from "../../../shared/k8s/names.ts";
import { parseIp } from "../network/ip.ts";
import { checked } from "../network/ports.ts";
import { validateIp } from "../network/validate-ip.ts";
import { validateBackend } from "./backend.ts";

export const classAnnotation = "kubernetes.io/ingress.class";
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEndings = ["/..", "/."];

export function validateIngressSpec(spec: IngressSpec): FieldError[] {
  const at = path("spec");
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (!rules.length && !defaultBackend) {
    errors.push(invalid(at, spec.rules, "either `defaultBackend` or `rules` must be specified"));
  }
  if (defaultBackend) errors.push(...validateBackend(defaultBackend, at.child("defaultBackend")));
  rules.forEach((rule, index) => errors.push(...validateRule(rule, at.child("rules").index(index))));
  tls.forEach((one, index) => errors.push(...validateTls(one, at.child("tls").index(index))));
  if (ingressClassName !== undefined) {
    errors.push(...checked(dns1123Subdomain(ingressClassName), ingressClassName, at.child("ingressClassName")));
  }
  return errors;
}

/** A new Ingress must not name two classes. */
export function validateIngressClassNames({ metadata, spec }: Ingress): FieldError[] {
  const annotation = metadata.annotations?.[classAnnotation];
  if (annotation === undefined || spec.ingressClassName === undefined || annotation === spec.ingressClassName) {
    return [];
  }
  const at = path("annotations", classAnnotation);
  return [invalid(at, annotation, "must match `ingressClassName` when both are specified")];
}

export function validateIngressStatus({ status }: Ingress): FieldError[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }, index) => {
    const at = path("status", "loadBalancer", "ingress").index(index);
    const errors = ip ? validateIp(ip, at.child("ip")) : [];
    if (!hostname) return errors;
    errors.push(...checked(dns1123Subdomain(hostname), hostname, at.child("hostname")));
    return [...errors, ...validateNoIp(hostname, at.child("hostname"))];
  });
}

function validateRule({ host, http }: IngressRule, at: FieldPath): FieldError[] {
  const errors = host ? [...validateNoIp(host, at.child("host")), ...validateHost(host, at.child("host"))] : [];
  if (!http) return errors;
  const where = at.child("http", "paths");
  if (!http.paths.length) errors.push(required(where));
  http.paths.forEach((one, index) => errors.push(...validatePath(one, where.index(index))));
  return errors;
}

function validateTls({ hosts = [], secretName }: IngressTLS, at: FieldPath): FieldError[] {
  const errors = hosts.flatMap((host, index) => validateHost(host, at.child("hosts").index(index)));
  return secretName
    ? [...errors, ...checked(dns1123Subdomain(secretName), secretName, at.child("secretName"))]
    : errors;
}

function validateHost(host: string, at: FieldPath): FieldError[] {
  return checked(host.includes("*") ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host), host, at);
}

function validateNoIp(host: string, at: FieldPath): FieldError[] {
  return parseIp(host) ? [invalid(at, host, "must be a DNS name, not an IP address")] : [];
}

function validatePath({ path: text = "", pathType, backend }: HTTPIngressPath, at: FieldPath): FieldError[] {
  if (pathType === undefined) return [required(at.child("pathType"), "pathType must be specified")];
  const where = at.child("path");
  const errors: FieldError[] = [];
  const isFree = pathType === "ImplementationSpecific";
  if (!pathTypes.includes(pathType)) {
    errors.push(notSupported(at.child("pathType"), pathType, pathTypes));
  } else if (!text.startsWith("/") && (text || !isFree)) {
    errors.push(invalid(where, text, "must be an absolute path"));
  }
  if (pathType === "Exact" || pathType === "Prefix") {
    for (const bad of badSequences) {
      if (text.includes(bad)) errors.push(invalid(where, text, `must not contain '${bad}'`));
    }
    for (const bad of badEndings) {
      if (text.endsWith(bad)) errors.push(invalid(where, text, `cannot end with '${bad}'`));
    }
  }
  return [...errors, ...validateBackend(backend, at.child("backend"))];
}
