// cert-manager's authorities: issuers, certificates with their Secrets, and Ingresses, while cert-manager runs.
import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { textOfBase64 } from "../../shared/base/base64.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import { customResourceDefinitions } from "../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { ingresses } from "../../worker/kinds/networking/ingress.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";

const group = "cert-manager.io";

function define(cluster: TestCluster, kind: string, plural: string, scope = "Namespaced"): void {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
  const version = { name: "v1", served: true, storage: true, schema, subresources: { status: {} } };
  cluster.apply(customResourceDefinitions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [version],
    },
  });
}

function put(cluster: TestCluster, plural: string, name: string, spec: object): void {
  const isCluster = plural === "clusterissuers";
  const metadata = { name, ...(isCluster ? {} : { namespace: "default" }) };
  const draft: Draft<KubeObject> & { spec: object } = { metadata, spec };
  cluster.apply(must(cluster.client.kindAt(`${group}/v1`, plural), plural), draft);
}

function ready(cluster: TestCluster, plural: string, name: string): string {
  const kind = must(cluster.client.kindAt(`${group}/v1`, plural), plural);
  const issuerObject = cluster.client.get(kind, plural === "clusterissuers" ? "" : "default", name) as
    | {
        readonly status?: {
          readonly conditions?: readonly {
            readonly status: string;
            readonly reason: string;
            readonly message: string;
          }[];
        };
      }
    | undefined;
  const firstCondition = issuerObject?.status?.conditions?.[0];
  return firstCondition
    ? `${firstCondition.status} ${firstCondition.reason} ${firstCondition.message}`.trim()
    : "nothing";
}

function installed(): TestCluster {
  const cluster = quietCluster({ base: "layered" });
  define(cluster, "Issuer", "issuers");
  define(cluster, "ClusterIssuer", "clusterissuers", "Cluster");
  define(cluster, "Certificate", "certificates");
  cluster.step(5000);
  return cluster;
}

function run(cluster: TestCluster): void {
  const labels = { app: "cert-manager" };
  const containers = [{ name: "c", image: "quay.io/jetstack/cert-manager-controller:v1.19.1" }];
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  cluster.apply(deployments, { metadata: { name: "cert-manager", namespace: "default" }, spec });
  cluster.step(30_000);
}

const secretText = (cluster: TestCluster, secret: string, key: string) =>
  textOfBase64(cluster.get(secrets, "default", secret).data?.[key] ?? "");

test("N8: a Certificate of a self-signed CA is signed by it, once cert-manager runs", () => {
  const cluster = installed();
  put(cluster, "issuers", "self", { selfSigned: {} });
  put(cluster, "certificates", "root", {
    isCA: true,
    commonName: "root",
    secretName: "root",
    issuerRef: { name: "self" },
  });
  put(cluster, "issuers", "ca", { ca: { secretName: "root" } });
  put(cluster, "certificates", "web", {
    dnsNames: ["web.example"],
    secretName: "web",
    issuerRef: { name: "ca" },
    duration: "24h",
  });
  cluster.step(10_000);
  expect([ready(cluster, "issuers", "self"), ready(cluster, "certificates", "root")]).toEqual(["nothing", "nothing"]);
  run(cluster);
  expect(ready(cluster, "issuers", "self")).toBe("True IsReady");
  expect(ready(cluster, "issuers", "ca")).toBe("True KeyPairVerified Signing CA verified");
  expect(ready(cluster, "certificates", "web")).toBe("True Ready Certificate is up to date and has not expired");
  const [root, web] = [
    new X509Certificate(secretText(cluster, "root", "tls.crt")),
    new X509Certificate(secretText(cluster, "web", "tls.crt")),
  ];
  expect([root.ca, web.ca, web.subjectAltName, web.verify(root.publicKey)]).toEqual([
    true,
    false,
    "DNS:web.example",
    true,
  ]);
  expect(secretText(cluster, "web", "ca.crt")).toBe(secretText(cluster, "root", "tls.crt"));
});

test("N8: a Certificate is issued again if its Secret is deleted, and before its expiry", () => {
  const cluster = installed();
  run(cluster);
  put(cluster, "clusterissuers", "self", { selfSigned: {} });
  put(cluster, "certificates", "web", {
    dnsNames: ["a"],
    secretName: "web",
    duration: "24h",
    issuerRef: { name: "self", kind: "ClusterIssuer" },
  });
  cluster.step(5000);
  const first = secretText(cluster, "web", "tls.crt");
  cluster.client.delete(secrets, "default", "web");
  cluster.step(5000);
  const second = secretText(cluster, "web", "tls.crt");
  cluster.step(17 * 3600 * 1000);
  expect([second === first, secretText(cluster, "web", "tls.crt") === second]).toEqual([false, false]);
});

test("N8: a Certificate of more than 100 names is not issued, and none lasts longer than ten years", () => {
  const cluster = installed();
  run(cluster);
  put(cluster, "issuers", "own", { selfSigned: {} });
  const dnsNames = Array.from({ length: 101 }, (_, at) => `a${at}.example.com`);
  const issuerRef = { name: "own" };
  put(cluster, "certificates", "many", { dnsNames, secretName: "many", issuerRef });
  put(cluster, "certificates", "long", {
    dnsNames: dnsNames.slice(1),
    secretName: "long",
    issuerRef,
    duration: "999999h",
  });
  cluster.step(5000);
  expect(cluster.client.get(secrets, "default", "many")).toBeUndefined();
  const pem = cluster.get(secrets, "default", "long").data?.["tls.crt"] ?? "";
  const { validTo } = new X509Certificate(textOfBase64(pem));
  const years = (Date.parse(validTo) - cluster.clock.nowMs()) / (365 * 24 * 3_600_000);
  expect([years > 9.9, years <= 10.1]).toEqual([true, true]);
});

test("N8: a Certificate waits for its issuer, and an issuer reports a missing Secret", () => {
  const cluster = installed();
  run(cluster);
  put(cluster, "issuers", "ca", { ca: { secretName: "nope" } });
  put(cluster, "certificates", "web", { dnsNames: ["a"], secretName: "web", issuerRef: { name: "ca" } });
  cluster.step(5000);
  expect(ready(cluster, "issuers", "ca")).toBe(
    'False ErrGetKeyPair Error getting keypair for CA issuer: secrets "nope" not found',
  );
  expect(ready(cluster, "certificates", "web")).toBe("False DoesNotExist Issuing certificate as Secret does not exist");
});

test("N8: an Ingress that names an issuer gets a Certificate for its Secret", () => {
  const cluster = installed();
  run(cluster);
  put(cluster, "clusterissuers", "self", { selfSigned: {} });
  cluster.apply(ingresses, {
    metadata: { name: "web", namespace: "default", annotations: { "cert-manager.io/cluster-issuer": "self" } },
    spec: {
      tls: [{ hosts: ["web.example"], secretName: "web-tls" }],
      defaultBackend: { service: { name: "web", port: { number: 80 } } },
    },
  });
  cluster.step(5000);
  expect(new X509Certificate(secretText(cluster, "web-tls", "tls.crt")).subjectAltName).toBe("DNS:web.example");
});

test("N8: Argo CD gets the Redis password that its pods wait for, and another password for its administrator", () => {
  const cluster = quietCluster({ base: "layered" });
  const image = "quay.io/argoproj/argocd:v3.2.0";
  const init = { name: "secret-init", image, command: ["argocd", "admin", "redis-initial-password"] };
  cluster.apply(pods, {
    metadata: { name: "redis", namespace: "default" },
    spec: { initContainers: [init], containers: [{ name: "c", image: "redis:8" }] },
  });
  const labels = { app: "server" };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
  };
  cluster.apply(deployments, { metadata: { name: "argocd-server", namespace: "default" }, spec });
  cluster.step(30_000);
  expect(secretText(cluster, "argocd-redis", "auth")).toMatch(/^[a-z0-9]{16}$/);
  expect(secretText(cluster, "argocd-initial-admin-secret", "password")).toMatch(/^[a-z0-9]{16}$/);
});
