// The kind Ingress of networking.k8s.io.
import type {
  Ingress,
  HTTPIngressPath,
  IngressRule,
  IngressSpec,
  IngressTLS,
} from "../../../shared/k8s/api/networking-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, type FieldPath, invalid, notSupported, path, required } from "../../../shared/k8s/field.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { dns1123Subdomain, wildcardDns1123Subdomain } from "../../../shared/k8s/names.ts";
import { parseIp } from "../../../shared/k8s/ip.ts";
import { each } from "../common/checks.ts";
import { validateIpForLegacyField } from "../common/ip-validation.ts";
import { validateBackend } from "./backend.ts";

const classAnnotation = "kubernetes.io/ingress.class";
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEndings = ["/..", "/."];

/** The number of hosts in the table. */
const shownHosts = 3;

export const ingresses = defineKind<Ingress>("networking.k8s.io", "v1", "ingresses", {
  validateUpdate: (_next, _previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.objectMeta(),
    ...check.validate(),
  ],
  resourcePrefix: "ingress",
  validate(ingress, context): FieldError[] {
    const { namespace = "", name = "" } = ingress.metadata;
    const isNew = !context.get(ingresses, namespace, name);
    return [...validateIngressSpec(ingress.spec), ...(isNew ? validateIngressClassNames(ingress) : [])];
  },
  warnings: ({ metadata, spec }, previous) =>
    !previous && metadata.annotations?.[classAnnotation] !== undefined && spec.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      // Upstream's status strategy lets the writer change the metadata.
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validateIngressStatus,
    },
  },
  columns: [
    nameColumn,
    {
      name: "Class",
      type: "string",
      description: "The class whose controller serves the Ingress.",
      cell: ({ spec }) => spec.ingressClassName ?? "<none>",
    },
    { name: "Hosts", type: "string", description: "Hosts of the rules; the first three.", cell: hosts },
    {
      name: "Address",
      type: "string",
      description: "Where the load balancer is reached.",
      cell: ({ status }) => {
        const all = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
        return [...new Set(all.filter(Boolean))].sort().join(",");
      },
    },
    {
      name: "Ports",
      type: "string",
      description: "Ports that are open: 443 if any host has TLS.",
      cell: ({ spec }) => (spec.tls?.length ? "80, 443" : "80"),
    },
    ageColumn,
  ],
});

/** Returns the cell. As upstream, a rule without a host is not shown, but counts among the omitted ones. */
function hosts({ spec: { rules = [] } }: Ingress): string {
  const named = rules.map(({ host }) => host ?? "").filter(Boolean);
  const text = named.slice(0, shownHosts).join(",");
  if (!text) return "*";
  const lastShown = rules.findIndex((_, at) => rules.slice(0, at + 1).filter(({ host }) => host).length === shownHosts);
  const hasMore = lastShown >= 0 && lastShown < rules.length - 1;
  return hasMore ? `${text} + ${rules.length - shownHosts} more...` : text;
}

function validateIngressSpec(spec: IngressSpec): FieldError[] {
  const at = path("spec");
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (!rules.length && !defaultBackend) {
    errors.push(invalid(at, spec.rules, "either `defaultBackend` or `rules` must be specified"));
  }
  if (defaultBackend) errors.push(...validateBackend(defaultBackend, at.child("defaultBackend")));
  rules.forEach((rule, index) => errors.push(...validateRule(rule, at.child("rules").index(index))));
  tls.forEach((tlsEntry, index) => errors.push(...validateTls(tlsEntry, at.child("tls").index(index))));
  if (ingressClassName !== undefined) {
    errors.push(...each(dns1123Subdomain(ingressClassName), at.child("ingressClassName"), ingressClassName));
  }
  return errors;
}

/** Rejects a new Ingress with both a class field and the annotation. */
function validateIngressClassNames({ metadata, spec }: Ingress): FieldError[] {
  const annotation = metadata.annotations?.[classAnnotation];
  if (annotation === undefined || spec.ingressClassName === undefined || annotation === spec.ingressClassName) {
    return [];
  }
  const at = path("annotations", classAnnotation);
  return [invalid(at, annotation, "must match `ingressClassName` when both are specified")];
}

function validateIngressStatus({ status }: Ingress): FieldError[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }, index) => {
    const at = path("status", "loadBalancer", "ingress").index(index);
    const errors = ip ? validateIpForLegacyField(ip, at.child("ip")) : [];
    if (!hostname) return errors;
    errors.push(...each(dns1123Subdomain(hostname), at.child("hostname"), hostname));
    return [...errors, ...validateNoIp(hostname, at.child("hostname"))];
  });
}

function validateRule({ host, http }: IngressRule, at: FieldPath): FieldError[] {
  const errors = host ? [...validateNoIp(host, at.child("host")), ...validateHost(host, at.child("host"))] : [];
  if (!http) return errors;
  const where = at.child("http", "paths");
  if (!http.paths.length) errors.push(required(where));
  http.paths.forEach((httpPath, index) => errors.push(...validatePath(httpPath, where.index(index))));
  return errors;
}

function validateTls({ hosts = [], secretName }: IngressTLS, at: FieldPath): FieldError[] {
  const errors = hosts.flatMap((host, index) => validateHost(host, at.child("hosts").index(index)));
  return secretName ? [...errors, ...each(dns1123Subdomain(secretName), at.child("secretName"), secretName)] : errors;
}

function validateHost(host: string, at: FieldPath): FieldError[] {
  return each(host.includes("*") ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host), at, host);
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
