// Routes a request of the ingress controller by the hosts and paths of the Ingresses that it serves.
import { compilePattern, compileUnits, isPattern, type Spend } from "../../../../shared/base/pattern.ts";
import { before } from "../../../../shared/base/trim.ts";
import { readingWork, takeWithinBudget } from "../../../../shared/k8s/bounds/entries.ts";
import type { ShownCertificate } from "../../../../shared/k8s/port-request.ts";
import type { HTTPIngressPath, Ingress, IngressBackend } from "../../../../shared/k8s/api/networking-v1.ts";
import { secrets } from "../../../kinds/core/secret.ts";
import { services } from "../../../kinds/core/service/service.ts";
import { ingressClasses } from "../../../kinds/networking/ingress-class.ts";
import { ingresses } from "../../../kinds/networking/ingress.ts";
import { classOf } from "../../../kinds/networking/served-class.ts";
import { isServedClass } from "./served-class.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import type { ClusterReader } from "../../shell/server.ts";
import { certificateOf, isFor } from "../../network/certificates.ts";
import { backendsOf } from "../../network/backends.ts";
import { probeBudget } from "../../network/probe-budget.ts";

type Client = ReconcileContext["client"];

interface IngressRequest {
  /** The host as the client named it, without a port. */
  readonly host: string;
  /** The path with its query. */
  readonly path: string;
  readonly isTls: boolean;
  readonly atMs: number;
}

type IngressRoute =
  /** A ready endpoint, the path of the request to it, and its name in the access log. */
  | {
      readonly kind: "backend";
      readonly address: string;
      readonly port: number;
      readonly path: string;
      readonly name: string;
    }
  | { readonly kind: "redirect"; readonly status: 301 | 302 | 308; readonly location: string }
  /** No Ingress has the host or the path. */
  | { readonly kind: "unknown" }
  /** The route's Service does not exist or has no ready endpoint. */
  | { readonly kind: "unavailable" };

/** A path of a rule that matches the request, with the groups of its expression. */
interface Fit {
  readonly ingress: Ingress;
  readonly backend: IngressBackend;
  readonly groups: readonly (string | undefined)[];
}

const annotation = (name: string) => `nginx.ingress.kubernetes.io/${name}`;

/** The work of reading one Ingress in addition to its entries, and of checking one of its paths. */
const ingressWork = 5;
const pathWork = 0.5;

/** Finds the backend of a request. Past a bound of work no further path is checked. */
export function ingressRoute(cluster: ClusterReader, request: IngressRequest): IngressRoute {
  if (cluster.isSpent()) return { kind: "unavailable" };
  const { client } = cluster;
  const spend = probeBudget((units) => cluster.pays(units));
  const all = takeWithinBudget(client.each(ingresses), spend, ingressWork);
  if (!all) return { kind: "unavailable" };
  const served = all.filter((ingress) => isServed(ingress, client));
  // The longest path wins; between two Ingresses the older wins.
  served.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  const fit = fitting(served, request, spend) ?? defaultOf(served);
  if (!fit) return { kind: "unknown" };
  return redirectOf(fit, request) ?? backendOf(client, fit, request);
}

/** Returns the certificate of the Secret that an Ingress names, if it is valid for the host; else the controller's own. */
export function ingressCertificate(cluster: ClusterReader, host: string | undefined): ShownCertificate {
  const { client } = cluster;
  const pays = (units: number) => cluster.pays(units);
  const spend = probeBudget(pays);
  if (host === undefined) return fakeCertificate;
  const isNamed = (hosts: readonly string[] = []) => hosts.includes(host) || hosts.includes(wildcardOf(host));
  for (const ingress of client.each(ingresses)) {
    if (!spend(readingWork(ingress, ingressWork))) return fakeCertificate;
    const tls = ingress.spec.tls?.find(({ hosts, secretName }) => secretName && isNamed(hosts));
    if (!tls || !isServed(ingress, client)) continue;
    pays(certificateWork);
    const certificate = certificateOf(client.get(secrets, ingress.metadata.namespace ?? "", tls.secretName ?? ""));
    return certificate && isFor(certificate, host) ? certificate : fakeCertificate;
  }
  return fakeCertificate;
}

/** The work of reading a certificate. */
const certificateWork = 300;
/** The self-signed certificate of ingress-nginx. */
const fakeCertificate: ShownCertificate = {
  subject: "O=Acme Co, CN=Kubernetes Ingress Controller Fake Certificate",
  issuer: "O=Acme Co, CN=Kubernetes Ingress Controller Fake Certificate",
  notBeforeMs: Date.UTC(2026, 0, 1),
  notAfterMs: Date.UTC(2027, 0, 1),
  names: ["ingress.local"],
  pem: "",
};

function isServed(ingress: Ingress, client: Client): boolean {
  return isServedClass(client.get(ingressClasses, "", classOf(ingress) ?? ""));
}

function fitting(served: readonly Ingress[], request: IngressRequest, spend: Spend): Fit | undefined {
  const bare = before(request.path, "?#");
  const hosts = [request.host, wildcardOf(request.host), ""];
  for (const host of hosts) {
    const candidates = served.flatMap((ingress) => pathsOf(ingress, host).map((path) => ({ ingress, path })));
    if (candidates.length === 0) continue;
    candidates.sort((a, b) => rank(b.path) - rank(a.path));
    for (const { ingress, path } of candidates) {
      if (!spend(pathWork)) return undefined;
      const groups = groupsOf(ingress, path, bare, spend);
      if (groups) return { ingress, backend: path.backend, groups };
    }
    // nginx has a server for the host and tries no other.
    return undefined;
  }
  return undefined;
}

function wildcardOf(host: string): string {
  const dot = host.indexOf(".");
  return dot < 0 ? "*" : `*${host.slice(dot)}`;
}

function pathsOf({ spec }: Ingress, host: string): readonly HTTPIngressPath[] {
  const rules = (spec.rules ?? []).filter((rule) => (rule.host ?? "") === host);
  return rules.flatMap(({ http }) => http?.paths ?? []);
}

/** Ranks paths: exact ones first, then the longer. */
function rank({ path = "/", pathType }: HTTPIngressPath): number {
  return path.length * 2 + (pathType === "Exact" ? 1 : 0);
}

/** Returns the groups of a match; undefined if the path does not match. */
function groupsOf(ingress: Ingress, { path = "/", pathType }: HTTPIngressPath, requestPath: string, spend: Spend) {
  if (isExpression(ingress)) {
    if (!spend(compileUnits(path))) return undefined;
    const pattern = compilePattern(`^${path}`, { ignoresCase: true });
    return isPattern(pattern) ? pattern.find(requestPath, 0, spend)?.groups : undefined;
  }
  if (pathType === "Exact") return requestPath === path ? [requestPath] : undefined;
  if (pathType === "ImplementationSpecific") return requestPath.startsWith(path) ? [path] : undefined;
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  return requestPath === bare || requestPath.startsWith(`${bare}/`) ? [bare] : undefined;
}

/** Reports whether paths are expressions. A rewrite target refers to their groups. */
function isExpression({ metadata: { annotations = {} } }: Ingress): boolean {
  return annotations[annotation("use-regex")] === "true" || annotations[annotation("rewrite-target")] !== undefined;
}

function defaultOf(served: readonly Ingress[]): Fit | undefined {
  const ingress = served.find(({ spec }) => spec.defaultBackend?.service);
  const backend = ingress?.spec.defaultBackend;
  return ingress && backend && { ingress, backend, groups: [] };
}

function redirectOf({ ingress }: Fit, { host, path, isTls }: IngressRequest): IngressRoute | undefined {
  const { annotations = {} } = ingress.metadata;
  const permanent = addressIn(annotations, "permanent-redirect");
  if (permanent !== undefined) return { kind: "redirect", status: 301, location: permanent };
  const temporal = addressIn(annotations, "temporal-redirect");
  if (temporal !== undefined) return { kind: "redirect", status: 302, location: temporal };
  const hasTls = ingress.spec.tls?.some(({ hosts }) => !hosts || hosts.length === 0 || hosts.includes(host)) ?? false;
  const wantsTls = hasTls && annotations[annotation("ssl-redirect")] !== "false";
  const isForced = annotations[annotation("force-ssl-redirect")] === "true";
  if (!isTls && (wantsTls || isForced)) return { kind: "redirect", status: 308, location: `https://${host}${path}` };
  const root = addressIn(annotations, "app-root");
  return root !== undefined && path === "/" ? { kind: "redirect", status: 302, location: root } : undefined;
}

/** Returns an annotation if it is valid in a header. */
function addressIn(annotations: Readonly<Record<string, string>>, name: string): string | undefined {
  const annotationValue = annotations[annotation(name)];
  return annotationValue !== undefined && /^[!-~]{1,2048}$/.test(annotationValue) ? annotationValue : undefined;
}

function backendOf(client: Client, { ingress, backend, groups }: Fit, { path, atMs }: IngressRequest): IngressRoute {
  const { namespace = "", annotations = {} } = ingress.metadata;
  const service = backend.service && client.get(services, namespace, backend.service.name);
  const servicePort = backend.service?.port;
  const port = service?.spec.ports?.find((candidate) =>
    servicePort?.name ? candidate.name === servicePort.name : candidate.port === servicePort?.number,
  );
  if (!service || !port) return { kind: "unavailable" };
  const ready = backendsOf(client, service, port).filter((candidate) => candidate.sinceMs <= atMs);
  const chosen = ready[turnOf(atMs) % ready.length];
  if (!chosen) return { kind: "unavailable" };
  const target = annotations[annotation("rewrite-target")];
  const to = target === undefined ? path : rewriteTarget(target, groups, path);
  const name = `${namespace}-${service.metadata.name ?? ""}-${servicePort?.name ?? port.port}`;
  return { kind: "backend", address: chosen.address, port: chosen.port, path: to, name };
}

/** Selects endpoints in turn, but the same for a request that is computed again. */
function turnOf(atMs: number): number {
  return Math.floor(atMs / 7);
}

function rewriteTarget(target: string, groups: readonly (string | undefined)[], path: string): string {
  const query = path.indexOf("?");
  const to = target.replace(/\$(\d)/g, (_, group: string) => groups[Number(group)] ?? "");
  const slashed = to.startsWith("/") ? to : `/${to}`;
  return query < 0 ? slashed : slashed + path.slice(query);
}
