// Token secrets: those of service accounts and bootstrap tokens, with their cleaners.
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";
import { serviceAccounts } from "../../../worker/kinds/core/service-account.ts";
import { testAuthority } from "../../authority.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const dayMs = 24 * 3_600_000;
const yearMs = 365 * dayMs;
const invalidSince = "kubernetes.io/legacy-token-invalid-since";
const lastUsed = "kubernetes.io/legacy-token-last-used";

function opened(): TestCluster {
  const cluster = newCluster({ nodes: 1 });
  cluster.step(0);
  return cluster;
}

function tokenSecret(cluster: TestCluster, account = "default", name = "token", labels: Record<string, string> = {}) {
  const annotations = { "kubernetes.io/service-account.name": account };
  cluster.apply(secrets, {
    metadata: { name, namespace: "default", annotations, labels },
    type: "kubernetes.io/service-account-token",
  });
  cluster.step(0);
  return secretOf(cluster, name);
}

function secretOf(cluster: TestCluster, name: string, namespace = "default"): Secret | undefined {
  return cluster.client.get(secrets, namespace, name);
}

function claimsOf(secret: Secret | undefined): unknown {
  const payload = atob(secret?.data?.["token"] ?? "").split(".")[1] ?? "";
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

describe("the token of a service account", () => {
  test("is in its secret, with the authorities and the namespace", () => {
    const cluster = opened();
    const secret = tokenSecret(cluster);
    const account = cluster.get(serviceAccounts, "default", "default");
    expect(atob(secret?.data?.["namespace"] ?? "")).toBe("default");
    expect(atob(secret?.data?.["ca.crt"] ?? "")).toBe(`test\n${testAuthority.certificate}`);
    expect(secret?.metadata.annotations).toEqual({
      "kubernetes.io/service-account.name": "default",
      "kubernetes.io/service-account.uid": account.metadata.uid,
    });
    expect(claimsOf(secret)).toEqual({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": "default",
      "kubernetes.io/serviceaccount/secret.name": "token",
      "kubernetes.io/serviceaccount/service-account.name": "default",
      "kubernetes.io/serviceaccount/service-account.uid": account.metadata.uid,
      sub: "system:serviceaccount:default:default",
    });
    cluster.runUntilQuiet();
  });

  test("is created again when removed", () => {
    const cluster = opened();
    tokenSecret(cluster);
    cluster.edit(secrets, "default", "token", (secret) => {
      delete secret.data?.["token"];
      delete secret.data?.["ca.crt"];
    });
    cluster.step(0);
    expect(Object.keys(secretOf(cluster, "token")?.data ?? {}).sort()).toEqual(["ca.crt", "namespace", "token"]);
  });

  test("is deleted with its account, and immediately without one", () => {
    const cluster = opened();
    expect(tokenSecret(cluster, "nobody")).toBeUndefined();
    cluster.apply(serviceAccounts, { metadata: { name: "builder", namespace: "default" } });
    expect(tokenSecret(cluster, "builder")).toBeDefined();
    cluster.client.delete(serviceAccounts, "default", "builder");
    cluster.step(0);
    expect(secretOf(cluster, "token")).toBeUndefined();
  });

  test("is removed from its account's references when deleted", () => {
    const cluster = opened();
    tokenSecret(cluster);
    cluster.edit(serviceAccounts, "default", "default", (account) => {
      account.secrets = [{ name: "token" }, { name: "other" }];
    });
    cluster.client.delete(secrets, "default", "token");
    cluster.step(0);
    expect(cluster.get(serviceAccounts, "default", "default").secrets).toEqual([{ name: "other" }]);
  });
});

describe("the legacy token cleaner", () => {
  function referred(labels: Record<string, string> = {}): TestCluster {
    const cluster = opened();
    tokenSecret(cluster, "default", "token", labels);
    cluster.edit(serviceAccounts, "default", "default", (account) => {
      account.secrets = [{ name: "token" }];
    });
    return cluster;
  }

  test("marks a token that was unused for a year, and deletes it a year later", () => {
    const cluster = referred();
    cluster.step(yearMs);
    expect(secretOf(cluster, "token")?.metadata.labels).toBeUndefined();
    cluster.step(dayMs);
    expect(secretOf(cluster, "token")?.metadata.labels).toEqual({ [invalidSince]: "2027-01-02" });
    cluster.step(yearMs);
    expect(secretOf(cluster, "token")).toBeDefined();
    cluster.step(dayMs);
    expect(secretOf(cluster, "token")).toBeUndefined();
  });

  test("waits a year from the last use, and for pods that mount it", () => {
    const used = referred({ [lastUsed]: "2026-06-01" });
    used.step(yearMs + 30 * dayMs);
    expect(secretOf(used, "token")?.metadata.labels).not.toHaveProperty(invalidSince);
    const mounted = referred();
    mounted.apply(pods, {
      metadata: { name: "p", namespace: "default" },
      spec: {
        containers: [{ name: "c", image: "nginx" }],
        volumes: [{ name: "v", secret: { secretName: "token" } }],
      },
    });
    mounted.step(yearMs + 2 * dayMs);
    expect(secretOf(mounted, "token")?.metadata.labels).toBeUndefined();
  });

  test("ignores manually created tokens", () => {
    const cluster = opened();
    tokenSecret(cluster);
    cluster.step(3 * yearMs);
    expect(secretOf(cluster, "token")?.metadata.labels).toBeUndefined();
  });
});

describe("a bootstrap token", () => {
  const name = "bootstrap-token-abcdef";

  function withToken(stringData: Record<string, string>): TestCluster {
    const cluster = opened();
    cluster.apply(secrets, {
      metadata: { name, namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: { "token-id": "abcdef", "token-secret": "0123456789abcdef", ...stringData },
    });
    return cluster;
  }

  test("is deleted when it expires, immediately if the time is invalid, and never without one", () => {
    const ending = withToken({ expiration: "2026-01-01T01:00:00Z" });
    ending.step(3_599_999);
    expect(secretOf(ending, name, "kube-system")).toBeDefined();
    ending.step(1);
    expect(secretOf(ending, name, "kube-system")).toBeUndefined();
    const odd = withToken({ expiration: "tomorrow" });
    odd.step(0);
    expect(secretOf(odd, name, "kube-system")).toBeUndefined();
    const endless = withToken({});
    endless.runUntilQuiet();
    expect(secretOf(endless, name, "kube-system")).toBeDefined();
  });

  test("signs the cluster-info ConfigMap if its usage allows it", () => {
    const cluster = withToken({ "usage-bootstrap-signing": "true" });
    const kubeconfig = "apiVersion: v1\nkind: Config\n";
    cluster.apply(configMaps, { metadata: { name: "cluster-info", namespace: "kube-public" }, data: { kubeconfig } });
    cluster.step(0);
    const header = Buffer.from('{"alg":"HS256","kid":"abcdef"}').toString("base64url");
    const payload = Buffer.from(kubeconfig).toString("base64url");
    const mac = createHmac("sha256", "0123456789abcdef").update(`${header}.${payload}`).digest("base64url");
    const data = () => cluster.get(configMaps, "kube-public", "cluster-info").data;
    expect(data()).toEqual({ kubeconfig, "jws-kubeconfig-abcdef": `${header}..${mac}` });
    cluster.edit(secrets, "kube-system", name, (secret) => {
      secret.stringData = { "usage-bootstrap-signing": "false" };
    });
    cluster.step(0);
    expect(data()).toEqual({ kubeconfig });
  });

  test("creates no cluster-info if the ConfigMap is missing", () => {
    const cluster = withToken({ "usage-bootstrap-signing": "true" });
    cluster.runUntilQuiet();
    expect(cluster.client.get(configMaps, "kube-public", "cluster-info")).toBeUndefined();
  });
});
