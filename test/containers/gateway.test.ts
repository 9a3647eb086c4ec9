// The Gateway API: classes that are served, addresses and conditions of gateways, and where their routes lead.
import { beforeAll, describe, expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import { customResourceDefinitions } from "../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";
import { executed } from "./executed.ts";

const group = "gateway.networking.k8s.io";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** The common part of the statuses of the Gateway API. */
interface Told extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly addresses?: readonly { readonly value: string }[];
    readonly listeners?: readonly {
      readonly name: string;
      readonly attachedRoutes: number;
      readonly conditions: readonly Condition[];
    }[];
    readonly parents?: readonly { readonly controllerName: string; readonly conditions: readonly Condition[] }[];
  };
}

function define(cluster: TestCluster, kind: string, plural: string, scope: "Namespaced" | "Cluster"): void {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  } as const;
  cluster.apply(customResourceDefinitions, {
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/2466" },
    },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
    },
  });
}

function newGatewayCluster(): TestCluster {
  const cluster = quietCluster({ base: "layered" });
  define(cluster, "GatewayClass", "gatewayclasses", "Cluster");
  define(cluster, "Gateway", "gateways", "Namespaced");
  define(cluster, "HTTPRoute", "httproutes", "Namespaced");
  define(cluster, "ReferenceGrant", "referencegrants", "Namespaced");
  cluster.step(5000);
  return cluster;
}

const kindOf = (cluster: TestCluster, plural: string) => must(cluster.client.kindAt(`${group}/v1`, plural), plural);

function put(cluster: TestCluster, plural: string, name: string, spec: object, namespace = "default"): void {
  const metadata = plural === "gatewayclasses" ? { name } : { name, namespace };
  const draft: Draft<KubeObject> & { spec: object } = { metadata, spec };
  cluster.apply(kindOf(cluster, plural), draft);
}

const gatewayObject = (cluster: TestCluster, plural: string, name: string, namespace = "default") =>
  cluster.get(kindOf(cluster, plural), plural === "gatewayclasses" ? "" : namespace, name) as Told;

/** `Accepted=True Accepted`, of each. */
const lines = (conditions: readonly Condition[] | undefined) =>
  (conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

function createPod(cluster: TestCluster, name: string, image: string, args: string[], namespace = "default"): void {
  const metadata = { name, namespace, labels: { app: name } };
  cluster.apply(pods, { metadata, spec: { containers: [{ name: "c", image, args }] } });
  cluster.apply(services, {
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 5678 }] },
  });
}

const http = { name: "http", port: 80, protocol: "HTTP" };
const parent = { parentRefs: [{ name: "web" }] };
const to = (name: string, more: object = {}) => ({ name, port: 80, ...more });

describe("N13: a Gateway of the sandbox's class", () => {
  let cluster: TestCluster;
  let address: string;
  const fetchHost = (host: string, path = "/", flags = "") =>
    executed(cluster, "shell", `curl -s ${flags} -H 'Host: ${host}' http://${address}${path}`);
  const route = (name: string, spec: object) => {
    put(cluster, "httproutes", name, { ...parent, ...spec });
    cluster.step(1000);
  };
  const parentsOf = (name: string) =>
    gatewayObject(cluster, "httproutes", name).status?.parents?.map((parent) => lines(parent.conditions));

  beforeAll(() => {
    cluster = newGatewayCluster();
    createPod(cluster, "shell", "curlimages/curl", ["sleep", "1d"]);
    createPod(cluster, "one", "hashicorp/http-echo", ["-text=one"]);
    createPod(cluster, "two", "hashicorp/http-echo", ["-text=two"]);
    createPod(cluster, "who", "traefik/whoami", ["--port", "5678"]);
    put(cluster, "gateways", "web", { gatewayClassName: "sandbar", listeners: [http] });
    cluster.step(20_000);
    address = gatewayObject(cluster, "gateways", "web").status?.addresses?.[0]?.value ?? "";
  });

  test("gets an address, a Deployment and a Service with their conditions, and the class is created where its kind exists", () => {
    expect(lines(gatewayObject(cluster, "gatewayclasses", "sandbar").status?.conditions)).toEqual([
      "Accepted=True Accepted",
    ]);
    const { status } = gatewayObject(cluster, "gateways", "web");
    expect(address).toMatch(/^203\.0\.113\./);
    expect(lines(status?.conditions)).toEqual(["Accepted=True Accepted", "Programmed=True Programmed"]);
    expect(status?.listeners?.map(({ conditions }) => lines(conditions))).toEqual([
      [
        "Accepted=True Accepted",
        "Conflicted=False NoConflicts",
        "Programmed=True Programmed",
        "ResolvedRefs=True ResolvedRefs",
      ],
    ]);
    expect(cluster.get(deployments, "default", "web-sandbar").status.readyReplicas).toBe(1);
    expect(cluster.get(services, "default", "web-sandbar").spec.type).toBe("LoadBalancer");
  });

  test("routes by host and path, the most specific first, and answers 404 if no route matches", async () => {
    route("hosts", {
      hostnames: ["a.example.com"],
      rules: [
        { backendRefs: [to("one")] },
        { matches: [{ path: { type: "PathPrefix", value: "/two" } }], backendRefs: [to("two")] },
        { matches: [{ path: { type: "Exact", value: "/two/one" } }], backendRefs: [to("one")] },
      ],
    });
    expect(await fetchHost("a.example.com")).toBe("one\n");
    expect(await fetchHost("a.example.com", "/two/x")).toBe("two\n");
    expect(await fetchHost("a.example.com", "/twox")).toBe("one\n");
    expect(await fetchHost("a.example.com", "/two/one")).toBe("one\n");
    expect(await fetchHost("b.example.com", "/", "-w '%{http_code}'")).toBe("404 Not Found\n404");
    expect(parentsOf("hosts")).toEqual([["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs"]]);
    expect(gatewayObject(cluster, "gateways", "web").status?.listeners?.[0]?.attachedRoutes).toBe(1);
  });

  test("routes by headers, method and query", async () => {
    route("matches", {
      hostnames: ["m.example.com"],
      rules: [
        { backendRefs: [to("one")] },
        { matches: [{ headers: [{ name: "version", value: "two" }] }], backendRefs: [to("two")] },
        { matches: [{ method: "POST" }, { queryParams: [{ name: "v", value: "2" }] }], backendRefs: [to("two")] },
      ],
    });
    expect(await fetchHost("m.example.com")).toBe("one\n");
    expect(await fetchHost("m.example.com", "/", "-H 'Version: two'")).toBe("two\n");
    expect(await fetchHost("m.example.com", "/", "-X POST")).toBe("two\n");
    expect(await fetchHost("m.example.com", "/x?v=2")).toBe("two\n");
  });

  test("redirects, rewrites and changes headers", async () => {
    const prefix = (value: string) => [{ path: { type: "PathPrefix", value } }];
    route("filters", {
      hostnames: ["f.example.com"],
      rules: [
        {
          matches: prefix("/moved"),
          filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https", statusCode: 301 } }],
        },
        {
          matches: prefix("/old"),
          filters: [
            {
              type: "URLRewrite",
              urlRewrite: {
                hostname: "new.example.com",
                path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" },
              },
            },
            {
              type: "RequestHeaderModifier",
              requestHeaderModifier: { set: [{ name: "X-Set", value: "1" }], remove: ["Accept"] },
            },
            { type: "ResponseHeaderModifier", responseHeaderModifier: { add: [{ name: "X-Said", value: "2" }] } },
          ],
          backendRefs: [to("who")],
        },
      ],
    });
    expect(await fetchHost("f.example.com", "/moved/x", "-i")).toMatch(
      /^HTTP\/1\.1 301 [^]*Location: https:\/\/f\.example\.com\/moved\/x\r\n/,
    );
    const output = await fetchHost("f.example.com", "/old/x?y=1", "-i");
    expect(output).toMatch(/GET \/new\/x\?y=1 HTTP\/1\.1\nHost: new\.example\.com\n/);
    expect(output).toContain("X-Set: 1\n");
    expect(output).toContain("X-Said: 2\r\n");
    expect(output).not.toContain("Accept:");
  });

  test("splits by weight, answers 500 for a missing backend and 503 for a backend without ready endpoints", async () => {
    route("weights", {
      hostnames: ["w.example.com"],
      rules: [{ backendRefs: [to("one", { weight: 9 }), to("two", { weight: 1 })] }],
    });
    const all = await executed(
      cluster,
      "shell",
      `for i in $(seq 60); do curl -s -H 'Host: w.example.com' http://${address}/; done`,
    );
    const firstCount = all.split("one").length - 1;
    expect(firstCount).toBeGreaterThan(40);
    expect(firstCount).toBeLessThan(60);
    route("gone", { hostnames: ["g.example.com"], rules: [{ backendRefs: [to("nope")] }] });
    expect(await fetchHost("g.example.com", "/", "-o /dev/null -w '%{http_code}'")).toBe("500");
    expect(parentsOf("gone")).toEqual([["Accepted=True Accepted", "ResolvedRefs=False BackendNotFound"]]);
    cluster.apply(services, {
      metadata: { name: "nope", namespace: "default" },
      spec: { selector: { app: "nope" }, ports: [{ port: 80 }] },
    });
    cluster.step(2000);
    expect(await fetchHost("g.example.com", "/", "-o /dev/null -w '%{http_code}'")).toBe("503");
    expect(parentsOf("gone")).toEqual([["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs"]]);
  });

  test("reports why it does not accept a route, and needs a ReferenceGrant for another namespace's objects", () => {
    put(cluster, "gateways", "narrow", {
      gatewayClassName: "sandbar",
      listeners: [
        { ...http, hostname: "*.narrow.example.com" },
        { name: "tcp", port: 90, protocol: "TCP" },
      ],
    });
    cluster.apply(namespaces, { metadata: { name: "other" } });
    cluster.step(5000);
    createPod(cluster, "far", "hashicorp/http-echo", ["-text=far"], "other");
    const narrow = (more: object) => ({ parentRefs: [{ name: "narrow", ...more }] });
    route("elsewhere", { ...narrow({}), hostnames: ["a.example.com"], rules: [] });
    route("section", { ...narrow({ sectionName: "nope" }), rules: [] });
    put(cluster, "httproutes", "foreign", { parentRefs: [{ name: "narrow", namespace: "default" }] }, "other");
    route("far", { rules: [{ backendRefs: [to("far", { namespace: "other" })] }] });
    route("kind", { rules: [{ backendRefs: [to("one", { kind: "Bucket" })] }] });
    cluster.step(5000);
    expect(parentsOf("elsewhere")?.[0]?.[0]).toBe("Accepted=False NoMatchingListenerHostname");
    expect(parentsOf("section")?.[0]?.[0]).toBe("Accepted=False NoMatchingParent");
    const foreign = gatewayObject(cluster, "httproutes", "foreign", "other").status?.parents?.[0];
    expect(lines(foreign?.conditions)[0]).toBe("Accepted=False NotAllowedByListeners");
    expect(parentsOf("far")?.[0]?.[1]).toBe("ResolvedRefs=False RefNotPermitted");
    expect(parentsOf("kind")?.[0]?.[1]).toBe("ResolvedRefs=False InvalidKind");
    put(
      cluster,
      "referencegrants",
      "far",
      { from: [{ group, kind: "HTTPRoute", namespace: "default" }], to: [{ group: "", kind: "Service" }] },
      "other",
    );
    cluster.step(2000);
    expect(parentsOf("far")?.[0]?.[1]).toBe("ResolvedRefs=True ResolvedRefs");
    const status = gatewayObject(cluster, "gateways", "narrow").status;
    expect(lines(status?.conditions)[0]).toBe("Accepted=True ListenersNotValid");
    expect(lines(status?.listeners?.[1]?.conditions)[0]).toBe("Accepted=False UnsupportedProtocol");
  });

  test("needs a Secret with a certificate for TLS", () => {
    const listener = { name: "https", port: 443, protocol: "HTTPS", tls: { certificateRefs: [{ name: "pair" }] } };
    put(cluster, "gateways", "secure", { gatewayClassName: "sandbar", listeners: [listener] });
    cluster.step(5000);
    const resolved = () => lines(gatewayObject(cluster, "gateways", "secure").status?.listeners?.[0]?.conditions)[3];
    expect(resolved()).toBe("ResolvedRefs=False InvalidCertificateRef");
    const data = {
      "tls.crt": btoa("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"),
      "tls.key": btoa("key"),
    };
    cluster.apply(secrets, { metadata: { name: "pair", namespace: "default" }, type: "kubernetes.io/tls", data });
    cluster.step(2000);
    expect(resolved()).toBe("ResolvedRefs=True ResolvedRefs");
  });

  test("deletes its Deployment and Service when it is deleted", () => {
    cluster.client.delete(kindOf(cluster, "gateways"), "default", "narrow");
    cluster.step(60_000);
    expect(cluster.client.get(deployments, "default", "narrow-sandbar")).toBeUndefined();
    expect(cluster.client.get(services, "default", "narrow-sandbar")).toBeUndefined();
  });
});

describe("N13: a Gateway of another class", () => {
  test("is ignored, and so is an object that the schema rejects", () => {
    const cluster = newGatewayCluster();
    put(cluster, "gatewayclasses", "theirs", { controllerName: "example.com/controller" });
    put(cluster, "gateways", "web", { gatewayClassName: "theirs", listeners: [http] });
    put(cluster, "gateways", "broken", { gatewayClassName: "sandbar", listeners: "none" });
    put(cluster, "httproutes", "broken", { parentRefs: 7 });
    cluster.step(10_000);
    expect(gatewayObject(cluster, "gatewayclasses", "theirs").status).toBeUndefined();
    expect(gatewayObject(cluster, "gateways", "web").status).toBeUndefined();
    expect(gatewayObject(cluster, "gateways", "broken").status).toBeUndefined();
    expect(cluster.client.list(deployments, { namespace: "default" })).toEqual([]);
  });
});
