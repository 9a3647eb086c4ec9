// ingress-nginx's controller: forwards requests to the backends of Ingresses, and reports errors in nginx's words.
import { stableHex } from "../../../../shared/base/stable.ts";
import { statusText } from "../../../../shared/base/status-text.ts";
import { bytesOfText } from "../../../../shared/base/byte-text.ts";
import { localTime } from "../../shell/log-lines.ts";
import { serving } from "../common/serving.ts";
import { ingressCertificate, ingressRoute } from "./route.ts";
import { logged } from "../../shell/outside-input.ts";
import type { Page, Server, Visit } from "../../shell/server.ts";

/** The ports of HTTP and HTTPS. Further ports belong to the webhook and the health check. */
export const ingressPorts: readonly number[] = [80, 443];
const webhookPort = 8443;
const healthPort = 10254;

const log = `-------------------------------------------------------------------------------
NGINX Ingress controller
  Release:       v1.13.0
  Repository:    https://github.com/kubernetes/ingress-nginx
  nginx version: nginx/1.27.1
-------------------------------------------------------------------------------
`;

export const ingressServer: Server = { answer };

export const ingressController = serving({
  ports: [...ingressPorts, webhookPort, healthPort],
  prints: log,
  server: ingressServer,
});

function answer(visit: Visit): Page {
  const { port = 80, cluster } = visit;
  if (port === webhookPort) return { ...reviewIngress(visit.body), isTls: true };
  if (!ingressPorts.includes(port)) return { contentType: "text/plain; charset=utf-8", body: "ok" };
  const isTls = port === 443;
  const host = (headerOf(visit, "host") ?? "").replace(/:\d+$/, "");
  const request = { host, path: visit.path, isTls, atMs: visit.nowMs };
  const route = cluster ? ingressRoute(cluster, request) : { kind: "unknown" as const };
  if (route.kind === "redirect") {
    return withLog(visit, "", { ...failedPage(route.status), headers: [["Location", route.location]] });
  }
  if (route.kind === "unknown") return withLog(visit, "upstream-default-backend", failedPage(404));
  if (route.kind === "unavailable") return withLog(visit, "", failedPage(503));
  const { address, path, name } = route;
  const reached = visit.reach?.({
    address,
    port: route.port,
    atMs: visit.nowMs,
    request: { method: visit.method, path, headers: forwardedHeaders(visit, host, isTls), body: visit.body },
  });
  const answer = reached?.answer;
  if (!answer) return withLog(visit, name, failedPage(reached?.kind === "dropped" ? 504 : 502));
  const secured = isTls ? [["Strict-Transport-Security", "max-age=31536000; includeSubDomains"] as const] : [];
  const { status, contentType, body, headers = [], tookMs } = answer;
  const late = reached.tookMs ?? tookMs;
  const page = { status, contentType, body, headers: [...headers, ...secured] };
  return withLog(visit, name, late === undefined ? page : { ...page, tookMs: late }, `${address}:${route.port}`);
}

function headerOf({ headers }: Visit, name: string): string | undefined {
  return headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1];
}

/** Returns the headers with which nginx forwards a request. */
function forwardedHeaders(visit: Visit, host: string, isTls: boolean): Visit["headers"] {
  const { headers, from = "10.244.0.1" } = visit;
  const scheme = isTls ? "https" : "http";
  const proxyHeaders: Visit["headers"] = [
    ["Host", host],
    ["X-Request-ID", requestId(visit)],
    ["X-Real-IP", from],
    ["X-Forwarded-For", from],
    ["X-Forwarded-Host", host],
    ["X-Forwarded-Port", isTls ? "443" : "80"],
    ["X-Forwarded-Proto", scheme],
    ["X-Forwarded-Scheme", scheme],
    ["X-Scheme", scheme],
  ];
  const names = new Set(proxyHeaders.map(([name]) => name.toLowerCase()));
  return [
    ...proxyHeaders,
    ...headers.filter(([name]) => !names.has(name.toLowerCase()) && name.toLowerCase() !== "connection"),
  ];
}

function requestId({ nowMs, path, from = "" }: Visit): string {
  return stableHex(`${nowMs}/${from}/${path}`, 32);
}

function failedPage(status: number): Page & { readonly status: number } {
  const reason = `${status} ${status === 503 ? "Service Temporarily Unavailable" : status === 504 ? "Gateway Time-out" : statusText(status)}`;
  const body = `<html>\r\n<head><title>${reason}</title></head>\r\n<body>\r\n<center><h1>${reason}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
  return { status, contentType: "text/html", body };
}

/** Adds the line of the access log to a page. */
function withLog(visit: Visit, upstream: string, plainAnswer: Page & { readonly status: number }, address = "-"): Page {
  const certificate =
    visit.port === 443 && visit.cluster ? ingressCertificate(visit.cluster, visit.serverName) : undefined;
  const page = certificate ? { ...plainAnswer, certificate } : plainAnswer;
  const { from = "10.244.0.1", method, path, nowMs } = visit;
  const bytes = bytesOfText(page.body).length;
  const agent = headerOf(visit, "user-agent") ?? "-";
  const line = `${from} - - [${localTime(nowMs)}] "${method} ${path} HTTP/1.1" ${page.status} ${bytes} "-" "${agent}" ${path.length + 100} 0.001 [${upstream}] [] ${address} ${bytes} 0.001 ${page.status} ${requestId(visit)}\n`;
  return { ...page, edits: [logged(line)] };
}

/** Answers the webhook, which accepts every Ingress. */
function reviewIngress(body: string): Page {
  const uid = /"uid":\s*"([\w-]{1,64})"/.exec(body)?.[1] ?? "";
  const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response: { uid, allowed: true } };
  return { contentType: "application/json", body: JSON.stringify(review) };
}
