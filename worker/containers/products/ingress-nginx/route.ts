// Routes a request of the ingress controller by the hosts and paths of the Ingresses that it serves.
import { compilePattern, compileUnits, isPattern, type Spend } from "../../../../shared/base/pattern.ts";
import { before } from "../../../../shared/base/trim.ts";
import { readingWork, readWithin } from "../../../../shared/k8s/bounds/entries.ts";
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

interface IngressAsked {
  /** As the client named it, without a port. */
  readonly host: string;
  /** With its query. */
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

/** A path of a rule that fits the request, and the groups that its expression found. */
interface Fit {
  readonly ingress: Ingress;
  readonly backend: IngressBackend;
  readonly groups: readonly (string | undefined)[];
}

const annotation = (name: string) => `nginx.ingress.kubernetes.io/${name}`;

/** What reading one Ingress costs beside its entries, and looking at one of its paths. */
const ingressWork = 5;
const pathWork = 0.5;

/** Finds the backend of a request. Past a bound of work no further path is looked at. */
export function ingressRoute(cluster: ClusterReader, asked: IngressAsked): IngressRoute {
  if (cluster.isSpent()) return { kind: "unavailable" };
  const { client } = cluster;
  const spend = probeBudget((units) => cluster.pays(units));
  const all = readWithin(client.each(ingresses), spend, ingressWork);
  if (!all) return { kind: "unavailable" };
  const served = all.filter((one) => isServed(one, client));
  // The longest path wins, and of two Ingresses the older.
  served.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  const fit = fitting(served, asked, spend) ?? defaultOf(served);
  if (!fit) return { kind: "unknown" };
  return redirectOf(fit, asked) ?? backendOf(client, fit, asked);
}

/** The certificate of the Secret that an Ingress names for the host, where it is for it; else the controller's own. */
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
    const found = certificateOf(client.get(secrets, ingress.metadata.namespace ?? "", tls.secretName ?? ""));
    return found && isFor(found, host) ? found : fakeCertificate;
  }
  return fakeCertificate;
}

/** What reading a certificate costs. */
const certificateWork = 300;
/** The one that ingress-nginx makes for itself. */
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

function fitting(served: readonly Ingress[], asked: IngressAsked, spend: Spend): Fit | undefined {
  const bare = before(asked.path, "?#");
  const hosts = [asked.host, wildcardOf(asked.host), ""];
  for (const host of hosts) {
    const found = served.flatMap((ingress) => pathsOf(ingress, host).map((path) => ({ ingress, path })));
    if (found.length === 0) continue;
    found.sort((a, b) => rank(b.path) - rank(a.path));
    for (const { ingress, path } of found) {
      if (!spend(pathWork)) return undefined;
      const groups = groupsOf(ingress, path, bare, spend);
      if (groups) return { ingress, backend: path.backend, groups };
    }
    // nginx has a server for the host, and asks no other.
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

/** Exact ones first, then the longer. */
function rank({ path = "/", pathType }: HTTPIngressPath): number {
  return path.length * 2 + (pathType === "Exact" ? 1 : 0);
}

/** Undefined: it does not fit. */
function groupsOf(ingress: Ingress, { path = "/", pathType }: HTTPIngressPath, asked: string, spend: Spend) {
  if (isExpression(ingress)) {
    if (!spend(compileUnits(path))) return undefined;
    const pattern = compilePattern(`^${path}`, { ignoresCase: true });
    return isPattern(pattern) ? pattern.find(asked, 0, spend)?.groups : undefined;
  }
  if (pathType === "Exact") return asked === path ? [asked] : undefined;
  if (pathType === "ImplementationSpecific") return asked.startsWith(path) ? [path] : undefined;
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  return asked === bare || asked.startsWith(`${bare}/`) ? [bare] : undefined;
}

/** Whoever rewrites says what by the groups of an expression. */
function isExpression({ metadata: { annotations = {} } }: Ingress): boolean {
  return annotations[annotation("use-regex")] === "true" || annotations[annotation("rewrite-target")] !== undefined;
}

function defaultOf(served: readonly Ingress[]): Fit | undefined {
  const ingress = served.find(({ spec }) => spec.defaultBackend?.service);
  const backend = ingress?.spec.defaultBackend;
  return ingress && backend && { ingress, backend, groups: [] };
}

function redirectOf({ ingress }: Fit, { host, path, isTls }: IngressAsked): IngressRoute | undefined {
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

/** What can stand in a header; the rest is as if it were not there. */
function addressIn(annotations: Readonly<Record<string, string>>, name: string): string | undefined {
  const given = annotations[annotation(name)];
  return given !== undefined && /^[!-~]{1,2048}$/.test(given) ? given : undefined;
}

function backendOf(client: Client, { ingress, backend, groups }: Fit, { path, atMs }: IngressAsked): IngressRoute {
  const { namespace = "", annotations = {} } = ingress.metadata;
  const service = backend.service && client.get(services, namespace, backend.service.name);
  const wanted = backend.service?.port;
  const port = service?.spec.ports?.find((one) =>
    wanted?.name ? one.name === wanted.name : one.port === wanted?.number,
  );
  if (!service || !port) return { kind: "unavailable" };
  const ready = backendsOf(client, service, port).filter((one) => one.sinceMs <= atMs);
  const chosen = ready[turnOf(atMs) % ready.length];
  if (!chosen) return { kind: "unavailable" };
  const target = annotations[annotation("rewrite-target")];
  const to = target === undefined ? path : rewritten(target, groups, path);
  const name = `${namespace}-${service.metadata.name ?? ""}-${wanted?.name ?? port.port}`;
  return { kind: "backend", address: chosen.address, port: chosen.port, path: to, name };
}

/** One after the other, but the same for a request that is worked out again. */
function turnOf(atMs: number): number {
  return Math.floor(atMs / 7);
}

function rewritten(target: string, groups: readonly (string | undefined)[], path: string): string {
  const query = path.indexOf("?");
  const to = target.replace(/\$(\d)/g, (_, group: string) => groups[Number(group)] ?? "");
  const slashed = to.startsWith("/") ? to : `/${to}`;
  return query < 0 ? slashed : slashed + path.slice(query);
}
