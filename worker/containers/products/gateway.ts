// The sandbox's gateway: forwards requests to the backends of HTTPRoutes, and explains in plain words why a request failed.
import { statusText } from "../../../shared/base/status-text.ts";
import type { Headers } from "../../../shared/k8s/outbound-call.ts";
import { gatewayCertificate, gatewayRoute } from "../network/gateway.ts";
import type { GatewayAnswer, HeaderChanges } from "../network/gateway-route.ts";
import { image, ownProgram } from "../images/known-image.ts";
import { logged } from "../shell/outside-input.ts";
import { listenAs } from "../shell/listen.ts";
import type { Program } from "../shell/program.ts";
import type { Page, Visit } from "../shell/server.ts";
import type { Product } from "./module.ts";

/** Runs `sandbar-gateway --gateway=default/web --ports=80,443`. */
const program: Program = function* (call) {
  const { args, err } = call;
  const value = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
  const ports = value("ports")
    .split(",")
    .map(Number)
    .filter((port) => port > 0 && port < 65_536);
  const [namespace = "", name = ""] = value("gateway").split("/");
  err(`gateway ${namespace}/${name} listens at ${ports.join(", ")}\n`);
  return yield* listenAs(call, { answer: (visit) => pageOf(visit, namespace, name) }, ports);
};

export const gateway: Product = {
  names: ["sandbar-gateway"],
  images: { "sandbar/gateway": image(20_410_000, "sandbar-gateway", { ...ownProgram, uid: 65532 }) },
  programs: { "sandbar-gateway": program },
};

function pageOf(visit: Visit, namespace: string, name: string): Page {
  const { port = 80, method, path, headers, body, from = "", nowMs, cluster, serverName } = visit;
  const host = (headerOf(headers, "host") ?? "").replace(/:\d+$/, "");
  const pays = (units: number) => cluster?.pays(units);
  const request = { namespace, name, port, host, method, path, headers, from, atMs: nowMs };
  const gatewayAnswer: GatewayAnswer | undefined = cluster?.isSpent()
    ? { route: { kind: "failed", status: 503 }, isTls: false }
    : cluster && gatewayRoute(cluster.client, request, pays);
  const certificate =
    gatewayAnswer?.isTls && cluster
      ? gatewayCertificate(cluster.client, { namespace, name, port }, serverName, pays)
      : undefined;
  const withLog = (page: Page & { readonly status: number }): Page => ({
    ...page,
    ...(certificate ? { certificate } : {}),
    edits: host === "" ? [] : [logged(`${from} ${host} "${method} ${path}" ${page.status}\n`)],
  });
  if (!gatewayAnswer || gatewayAnswer.route.kind === "failed")
    return withLog(failedPage(gatewayAnswer?.route.kind === "failed" ? gatewayAnswer.route.status : 404));
  const { route } = gatewayAnswer;
  if (route.kind === "redirect")
    return withLog({ ...failedPage(route.status), headers: [["Location", route.location]] });
  const forwardedHeaders: Headers = [
    ["Host", route.host ?? headerOf(headers, "host") ?? ""],
    ["X-Forwarded-For", from],
    ["X-Forwarded-Proto", gatewayAnswer.isTls ? "https" : "http"],
  ];
  const names = new Set(forwardedHeaders.map(([name]) => name.toLowerCase()));
  const sent = [...forwardedHeaders, ...headers.filter(([name]) => !names.has(name.toLowerCase()))];
  const reached = visit.reach?.({
    address: route.address,
    port: route.port,
    atMs: nowMs,
    request: { method, path: route.path, headers: changeHeaders(sent, route.request), body },
  });
  const answer = reached?.answer;
  if (!answer) return withLog(failedPage(reached?.kind === "dropped" ? 504 : 503));
  const late = reached.tookMs ?? answer.tookMs;
  const page = {
    status: answer.status,
    contentType: answer.contentType,
    body: answer.body,
    headers: changeHeaders(answer.headers ?? [], route.response),
  };
  return withLog(late === undefined ? page : { ...page, tookMs: late });
}

function headerOf(headers: Headers, name: string): string | undefined {
  return headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1];
}

function changeHeaders(headers: Headers, changes: readonly HeaderChanges[]): Headers {
  return changes.reduce<Headers>((all, { set, add, remove }) => {
    const gone = new Set([...remove, ...set.map(([name]) => name)].map((name) => name.toLowerCase()));
    return [...all.filter(([name]) => !gone.has(name.toLowerCase())), ...set, ...add];
  }, headers);
}

function failedPage(status: number): Page & { readonly status: number } {
  return { status, contentType: "text/plain; charset=utf-8", body: `${status} ${statusText(status)}\n` };
}
