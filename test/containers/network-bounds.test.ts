// Bounds of network objects: large Ingresses, routes and monitors are evaluated within a budget.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { must } from "../../shared/base/assert.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import { customResourceDefinitions } from "../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { endpoints } from "../../worker/kinds/core/endpoints.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { ingresses } from "../../worker/kinds/networking/ingress.ts";
import { ingressRoute } from "../../worker/containers/products/ingress-nginx/route.ts";
import { gatewayRoute } from "../../worker/containers/network/gateway.ts";
import { scrapesOf } from "../../worker/containers/products/prometheus/scrapes.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";

const list = <T>(count: number, item: (at: number) => T) => Array.from({ length: count }, (_, at) => item(at));

/** Creates a CustomResourceDefinition without a schema, and returns a function that creates its objects. */
function defined(cluster: TestCluster, kind: string, plural: string, group: string) {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
  const annotations = { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/2466" };
  cluster.apply(customResourceDefinitions, {
    metadata: { name: `${plural}.${group}`, annotations },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  cluster.step(1_000);
  return (name: string, spec: object) => {
    const draft: Draft<KubeObject> & { spec: object } = { metadata: { name, namespace: "default" }, spec };
    const kind = must(cluster.client.kindAt(`${group}/v1`, plural), plural);
    cluster.client.tryDelete(kind, "default", name, {});
    cluster.apply(kind, draft);
  };
}

/** Returns the result of a lookup and the work that it was charged. */
function charged<T>(look: (pays: (units: number) => void) => T): { answer: T; paid: number } {
  let paid = 0;
  const answer = look((units) => (paid += units));
  return { answer, paid };
}

test("N6: Ingresses that are too large to be read are answered 503, and a rewrite target that is too long is not followed", () => {
  const cluster = quietCluster({ base: "layered", systemPods: true });
  const put = (name: string, host: string, count: number, annotations = {}) => {
    const backend = { service: { name: "web", port: { number: 80 } } };
    const paths = list(count, (at) => ({ path: `/${at}`, pathType: "Prefix" as const, backend }));
    const spec = { ingressClassName: "nginx", rules: [{ host, http: { paths } }] };
    cluster.apply(ingresses, { metadata: { name, namespace: "default", annotations }, spec });
  };
  const routeWork = (host: string) =>
    charged((pays) =>
      ingressRoute(
        { client: cluster.client, pays, isSpent: () => false },
        { host, path: "/0", isTls: false, atMs: cluster.clock.nowMs() },
      ),
    );
  const redirect = (length: number) => ({
    "nginx.ingress.kubernetes.io/permanent-redirect": `https://${"x".repeat(length - 8)}`,
  });
  put("followed", "followed.example.com", 1, redirect(2048));
  put("left", "left.example.com", 1, redirect(2049));
  expect(routeWork("followed.example.com").answer?.kind).toBe("redirect");
  expect(routeWork("left.example.com").answer?.kind).not.toBe("redirect");
  for (let at = 0; at < 12; at++) put(`large-${at}`, "large.example.com", 2_000);
  const { answer, paid } = routeWork("large.example.com");
  expect(answer).toEqual({ kind: "unavailable" });
  expect(paid).toBeLessThan(1.5 * limits.probeWork);
});

test("gateway routes that are too large to be read are answered 503, and lists longer than upstream's bounds are not served", () => {
  const cluster = quietCluster({ base: "layered" });
  const group = "gateway.networking.k8s.io";
  const putGateway = defined(cluster, "Gateway", "gateways", group);
  const putRoute = defined(cluster, "HTTPRoute", "httproutes", group);
  const listener = (at: number) => ({ name: `l${at}`, port: 80 + at, protocol: "HTTP" });
  putGateway("gate", { gatewayClassName: "sandbar", listeners: [listener(0)] });
  putGateway("wide", { gatewayClassName: "sandbar", listeners: list(65, listener) });
  const redirect = (path: string) => [
    {
      filters: [
        { type: "RequestRedirect", requestRedirect: { path: { type: "ReplaceFullPath", replaceFullPath: path } } },
      ],
    },
  ];
  const visitGate = (host: string, name = "gate") => {
    const request = { method: "GET", path: "/", headers: [], from: "10.0.0.1", atMs: cluster.clock.nowMs() };
    return charged(
      (pays) => gatewayRoute(cluster.client, { namespace: "default", name, port: 80, host, ...request }, pays).route,
    );
  };
  const parentRefs = [{ name: "gate" }, { name: "wide" }];
  putRoute("short", { parentRefs, hostnames: ["short.example.com"], rules: redirect(`/${"x".repeat(4000)}`) });
  putRoute("long", { parentRefs, hostnames: ["long.example.com"], rules: redirect(`/${"x".repeat(5000)}`) });
  putRoute("wide", { parentRefs, hostnames: list(17, () => "wide.example.com"), rules: redirect("/") });
  const location = (host: string) => visitGate(host).answer as { kind: string; location?: string };
  expect(location("short.example.com").location).toMatch(/^http:\/\/short\.example\.com\/x{4000}$/);
  expect(location("long.example.com")).toMatchObject({ kind: "redirect", location: "/" });
  expect(location("wide.example.com")).toEqual({ kind: "failed", status: 404 });
  expect(visitGate("short.example.com", "wide").answer).toEqual({ kind: "failed", status: 404 });
  for (let at = 0; at < 12; at++) putRoute(`large-${at}`, { parentRefs, rules: list(2_000, () => ({ filters: [] })) });
  const { answer, paid } = visitGate("short.example.com");
  expect(answer).toEqual({ kind: "failed", status: 503 });
  expect(paid).toBeLessThan(1.5 * limits.probeWork);
});

test("N8: Prometheus gets at most 500 targets, and monitors that name more cost a bounded amount of work", () => {
  const cluster = quietCluster({ base: "layered" });
  const put = defined(cluster, "ServiceMonitor", "servicemonitors", "monitoring.coreos.com");
  const ports = list(100, (at) => ({ name: `p${at}`, port: at + 1 }));
  const metadata = { name: "web", namespace: "default", labels: { app: "web" } };
  cluster.apply(services, { metadata, spec: { clusterIP: "None", ports } });
  const addresses = list(300, (at) => ({ ip: `10.9.${Math.floor(at / 250)}.${(at % 250) + 1}` }));
  cluster.apply(endpoints, { metadata: { name: "web", namespace: "default" }, subsets: [{ addresses, ports }] });
  const selector = { matchLabels: { app: "web" } };
  const scraped = () => charged((pays) => scrapesOf(cluster.client, pays));
  put("one", { selector, endpoints: [{ port: "p1" }] });
  expect(scraped().answer).toHaveLength(300);
  put("one", { selector, endpoints: [{ port: "p1" }, { port: "p2" }] });
  expect(scraped().answer).toHaveLength(500);
  put("one", { selector, endpoints: list(9_000, () => ({ port: "none" })) });
  const { answer, paid } = scraped();
  expect(answer).toEqual([]);
  expect(paid).toBeLessThan(1.5 * limits.probeWork);
});
