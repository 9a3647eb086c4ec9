// The simulated ingress controller: hosts, paths, rewrites, TLS, and answers without a backend.
import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { Ingress } from "../../shared/k8s/api/networking-v1.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { ingressClasses } from "../../worker/kinds/networking/ingress-class.ts";
import { ingresses } from "../../worker/kinds/networking/ingress.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { ingressRoute } from "../../worker/containers/products/ingress-nginx/route.ts";
import { clusterView } from "../../worker/containers/network/cluster-view.ts";
import { execOutput, runOfStatus } from "../../worker/containers/output.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";

let cluster: TestCluster;
const address = "203.0.113.254";

function createPod(name: string, image: string, args?: string[]): void {
  const metadata = { name, namespace: "default", labels: { app: name } };
  cluster.apply(pods, { metadata, spec: { containers: [{ name: "c", image, ...(args ? { args } : {}) }] } });
}

function createService(name: string, port: object): void {
  cluster.apply(services, {
    metadata: { name, namespace: "default" },
    spec: { selector: { app: name }, ports: [port] },
  });
}

/** Rules as `host path type service port`. */
function createIngress(
  name: string,
  rules: readonly string[],
  more: Partial<Ingress["spec"]> = {},
  annotations = {},
): void {
  cluster.apply(ingresses, {
    metadata: { name, namespace: "default", annotations },
    spec: {
      rules: rules.map((rule) => {
        const [host = "", path = "/", pathType = "Prefix", service = "", port = "80"] = rule.split(" ");
        const backend = {
          service: { name: service, port: /^\d/.test(port) ? { number: Number(port) } : { name: port } },
        };
        return { ...(host === "*" ? {} : { host }), http: { paths: [{ path, pathType, backend }] } };
      }),
      ...more,
    },
  });
}

function outputOf(script: string, on: TestCluster = cluster, name = "shell"): string {
  const nowMs = on.clock.nowMs();
  const command = { words: ["sh", "-c", script], nowMs, untilMs: nowMs + 3_600_000 };
  const [currentPod, view] = [on.get(pods, "default", name), clusterView(on.client)];
  const done = execOutput(currentPod, "c", view, runOfStatus(currentPod, "c", view, nowMs, false), command);
  if (!done || "missing" in done) return "not there";
  return done.chunks.map((chunk) => chunk.text).join("");
}

const fetchHost = (host: string, path = "/", flags = "") =>
  outputOf(`curl -s ${flags} -H 'Host: ${host}' http://${address}${path}`);
const codeOf = (host: string, path = "/", flags = "") =>
  fetchHost(host, path, `-o /dev/null -w '%{http_code}' ${flags}`);

beforeAll(() => {
  cluster = quietCluster({ base: "layered", systemPods: true });
  createPod("shell", "curlimages/curl", ["sleep", "1d"]);
  createPod("web", "nginx");
  createPod("v1", "hashicorp/http-echo", ["-text=one"]);
  createPod("v2", "hashicorp/http-echo", ["-text=two"]);
  createPod("who", "traefik/whoami");
  createService("web", { name: "http", port: 80 });
  createService("v1", { port: 5678 });
  createService("v2", { port: 5678 });
  createService("who", { port: 80 });
  createService("nobody", { port: 80 });
  createIngress("hello", ["hello.example.com / Prefix web http"]);
  createIngress("paths", [
    "shop.example.com / Prefix v1 5678",
    "shop.example.com /v2 Prefix v2 5678",
    "shop.example.com /exact Exact v2 5678",
    "shop.example.com /gone Prefix nobody",
    "shop.example.com /absent Prefix absent",
  ]);
  createIngress("wild", ["*.wild.example.com / Prefix v2 5678", "one.wild.example.com / Prefix v1 5678"]);
  createIngress(
    "rewriting",
    ["who.example.com /api(/|$)(.*) ImplementationSpecific who"],
    {},
    {
      "nginx.ingress.kubernetes.io/use-regex": "true",
      "nginx.ingress.kubernetes.io/rewrite-target": "/$2",
    },
  );
  createIngress("secure", ["tls.example.com / Prefix web"], {
    tls: [{ hosts: ["tls.example.com"], secretName: "tls" }],
  });
  cluster.step(20_000);
});

describe("N6: an Ingress of the preinstalled class", () => {
  test("gets that class by default, and the controller's address", () => {
    const { spec, status } = cluster.get(ingresses, "default", "hello");
    expect([spec.ingressClassName, status.loadBalancer.ingress]).toEqual(["nginx", [{ ip: address }]]);
  });

  test("routes its host to its Service", () => {
    expect(fetchHost("hello.example.com")).toContain("<title>Welcome to nginx!</title>");
    expect(outputOf("curl -s -H 'Host: hello.example.com' ingress-nginx-controller.ingress-nginx")).toContain(
      "Welcome",
    );
  });

  test.each([
    ["shop.example.com", "/", "one\n"],
    ["shop.example.com", "/v2", "two\n"],
    ["shop.example.com", "/v2/more", "two\n"],
    ["shop.example.com", "/v22", "one\n"],
    ["shop.example.com", "/exact", "two\n"],
    ["shop.example.com", "/exact/more", "one\n"],
    ["any.wild.example.com", "/", "two\n"],
    ["one.wild.example.com", "/", "one\n"],
  ])("routes %s%s to the longest matching path", (host, path, expectedOutput) => {
    expect(fetchHost(host, path)).toBe(expectedOutput);
  });

  test("rewrites paths, and sends the client's address and host to the backend", () => {
    const output = fetchHost("who.example.com", "/api/users?page=2");
    expect(output).toContain("GET /users?page=2 HTTP/1.1\n");
    expect(output).toContain("X-Forwarded-Host: who.example.com\n");
    expect(output).toContain(`X-Real-Ip: ${cluster.get(pods, "default", "shell").status.podIP ?? ""}\n`);
  });

  test("redirects a host with TLS to https, and serves it there", () => {
    expect(fetchHost("tls.example.com", "/a?b", "-I")).toMatch(
      /^HTTP\/1\.1 308 Permanent Redirect\r\n[^]*Location: https:\/\/tls\.example\.com\/a\?b\r\n/,
    );
    expect(outputOf(`curl -sk -H 'Host: tls.example.com' https://${address}/`)).toContain("Welcome to nginx!");
  });

  test("answers with nginx's own error pages for unknown hosts, paths and backends", () => {
    expect(fetchHost("nobody.example.com")).toBe(
      "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n",
    );
    expect([
      codeOf("nobody.example.com"),
      codeOf("who.example.com", "/other"),
      codeOf("x.one.wild.example.com"),
    ]).toEqual(["404", "404", "404"]);
    expect([codeOf("shop.example.com", "/gone"), codeOf("shop.example.com", "/absent")]).toEqual(["503", "503"]);
  });

  test("is served through the controller's port for port-forward and the API's proxies, and logged", async () => {
    const [pod] = cluster.client.list(pods, { namespace: "ingress-nginx" });
    if (!pod) throw new Error("there is no controller");
    const request = { method: "GET", path: "/", headers: [["Host", "shop.example.com:8080"] as const], body: "" };
    expect(await cluster.containers.answer(pod, 80, request)).toMatchObject({ status: 200, body: "one\n" });
    const log = await cluster.containers.printed(pod, "controller", { previous: false, follows: false });
    const lines = log?.lines.map(({ text }) => text) ?? [];
    expect(lines.at(-1)).toMatch(
      /^10\.244\.0\.1 - - \[.+\] "GET \/ HTTP\/1\.1" 200 4 "-" "-" \d+ 0\.001 \[default-v1-5678\] \[\] 10\.244\.\d+\.\d+:5678 4 0\.001 200 [0-9a-f]{32}/,
    );
  });
});

test("N6: an Ingress with hostile contents costs a bounded amount of work, and changes nothing but nginx's answer", () => {
  createIngress(
    "broken",
    ["broken.example.com /(a|b ImplementationSpecific web"],
    {},
    {
      "nginx.ingress.kubernetes.io/rewrite-target": "/$1",
    },
  );
  createIngress(
    "splitting",
    ["splitting.example.com / Prefix web"],
    {},
    {
      "nginx.ingress.kubernetes.io/permanent-redirect": "http://a\r\nSet-Cookie: b",
    },
  );
  const many = Array.from(
    { length: 400 },
    (_, at) => `many.example.com /${"(x*)*".repeat(40)}${at} ImplementationSpecific web`,
  );
  createIngress("many", many, {}, { "nginx.ingress.kubernetes.io/use-regex": "true" });
  cluster.step(1_000);
  expect(codeOf("broken.example.com", "/a")).toBe("404");
  expect(fetchHost("splitting.example.com", "/", "-i")).not.toContain("Set-Cookie");
  let paid = 0;
  const reader = { client: cluster.client, pays: (units: number) => void (paid += units), isSpent: () => false };
  const request = {
    host: "many.example.com",
    path: `/${"x".repeat(1000)}!`,
    isTls: false,
    atMs: cluster.clock.nowMs(),
  };
  const route = ingressRoute(reader, request);
  expect(route).toEqual({ kind: "unknown" });
  expect(paid).toBeLessThan(2 * limits.probeWork);
});

/** A certificate of secure.example.com, signed by itself. */
const pair = `-----BEGIN CERTIFICATE-----
MIIB0jCCAXigAwIBAgIUGo/2qtGbVy4wtCfSfzAaKXJzjtgwCgYIKoZIzj0EAwIw
LjEbMBkGA1UEAwwSc2VjdXJlLmV4YW1wbGUuY29tMQ8wDQYDVQQKDAZzZWN1cmUw
IBcNMjYxMTIzMDIwMDQ2WhgPMjEyNjEwMzAwMjAwNDZaMC4xGzAZBgNVBAMMEnNl
Y3VyZS5leGFtcGxlLmNvbTEPMA0GA1UECgwGc2VjdXJlMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEkq2RUKrvDttlmIdiTmRNzR73K+30dvFzRFm8kHZaE/cU9OmP
2Yk622M+diyClFO/zg1kkdVxDMfasCo0JDSi4KNyMHAwHQYDVR0OBBYEFJS/0Kbt
8xdlY8EbtPZiSq/XPSSdMB8GA1UdIwQYMBaAFJS/0Kbt8xdlY8EbtPZiSq/XPSSd
MA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0RBBYwFIISc2VjdXJlLmV4YW1wbGUuY29t
MAoGCCqGSM49BAMCA0gAMEUCIQDiVMt96Fvqw8M3OCqxu6gUoK27d9yongTj+8ay
WzjIFgIgGvB2UoYYiIIWcA0jrCnjW0Z4ZCVPnZQSLyg3YES5N0g=
-----END CERTIFICATE-----
`;

test("N6: TLS presents the Secret's certificate for its host, and the controller's own certificate for other hosts", () => {
  const data = {
    "tls.crt": btoa(pair),
    "tls.key": btoa("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"),
  };
  cluster.apply(secrets, { metadata: { name: "secure-tls", namespace: "default" }, type: "kubernetes.io/tls", data });
  const tls = [
    { hosts: ["secure.example.com"], secretName: "secure-tls" },
    { hosts: ["wrong.example.com"], secretName: "secure-tls" },
  ];
  createIngress("with-pair", ["secure.example.com / Prefix web", "wrong.example.com / Prefix web"], { tls });
  cluster.apply(configMaps, { metadata: { name: "ca", namespace: "default" }, data: { "ca.crt": pair } });
  const spec = {
    hostAliases: [{ ip: address, hostnames: ["secure.example.com", "wrong.example.com", "none.example.com"] }],
    volumes: [{ name: "ca", configMap: { name: "ca" } }],
    containers: [
      { name: "c", image: "curlimages/curl", args: ["sleep", "1d"], volumeMounts: [{ name: "ca", mountPath: "/ca" }] },
    ],
  };
  cluster.apply(pods, { metadata: { name: "client", namespace: "default" }, spec });
  cluster.step(10_000);
  const certificateOf = (flags: string, host: string) =>
    outputOf(`curl -s -S -o /dev/null -w '%{http_code}' ${flags} https://${host}/ 2>&1`, cluster, "client");
  expect(certificateOf("-kv", "secure.example.com")).toMatch(
    /\* Server certificate:\n\* {2}subject: CN=secure\.example\.com; O=secure\n[^]*\* {2}SSL certificate verify result: self-signed certificate \(18\), continuing anyway\.\n[^]*200$/,
  );
  expect(certificateOf("", "secure.example.com")).toMatch(
    /^curl: \(60\) SSL certificate problem: self-signed certificate\n/,
  );
  expect(certificateOf("--cacert /ca/ca.crt", "secure.example.com")).toBe("200");
  expect(certificateOf("-kv", "wrong.example.com")).toContain("CN=Kubernetes Ingress Controller Fake Certificate");
  expect(certificateOf("-kv", "none.example.com")).toMatch(/CN=Kubernetes Ingress Controller Fake Certificate[^]*404$/);
  expect(certificateOf("-kv -H 'Host: secure.example.com'", address)).toMatch(/Fake Certificate[^]*200$/);
  cluster.client.delete(secrets, "default", "secure-tls");
  expect(certificateOf("-kv", "secure.example.com")).toContain("Fake Certificate");
});

test("N6: the sandbox's own class is served at its address if no controller runs", () => {
  const before = cluster;
  cluster = quietCluster();
  createPod("shell", "curlimages/curl", ["sleep", "1d"]);
  createPod("web", "nginx");
  createService("web", { port: 80 });
  cluster.apply(ingressClasses, { metadata: { name: "mine" }, spec: { controller: "sandbar.dev/ingress" } });
  createIngress("hello", ["hello.example.com / Prefix web"], { ingressClassName: "mine" });
  createIngress("other", ["other.example.com / Prefix web"]);
  cluster.step(20_000);
  expect(fetchHost("hello.example.com")).toContain("Welcome to nginx!");
  expect(codeOf("other.example.com")).toBe("404");
  cluster = before;
});
