// Golden timelines of service account: every event and every step, in order.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { serviceAccounts } from "../../../worker/kinds/core/service-account.ts";
import { quietCluster, type TestCluster } from "../../cluster.ts";
import { story } from "../story.ts";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";

function applyToken(cluster: TestCluster, account: string): void {
  const annotations = { "kubernetes.io/service-account.name": account };
  const type = "kubernetes.io/service-account-token";
  cluster.apply(secrets, { metadata: { name: "token", namespace: "default", annotations }, type });
}

function keysAndLabels(object: KubeObject): string {
  if (object.kind !== "Secret" && object.kind !== "ConfigMap") return "";
  const marks = Object.entries(object.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...Object.keys((object as Secret).data ?? {}), ...marks].join(" ");
}

const dayMs = 24 * 3_600_000;

test("a namespace's service account and CA bundle are created, restored and created again", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    cluster.apply(namespaces, { metadata: { name: "team" } });
    step();
    cluster.edit(configMaps, "team", "kube-root-ca.crt", (map) => {
      map.data = { "ca.crt": "mine" };
    });
    step();
    cluster.client.delete(configMaps, "team", "kube-root-ca.crt");
    cluster.client.delete(serviceAccounts, "team", "default");
  };
  const describe = (object: KubeObject) => {
    const { data = {} } = object as { data?: Record<string, string> };
    return object.kind === "ConfigMap" ? ((data["ca.crt"] ?? "").trim().split("\n")[0] ?? "") : "";
  };
  expect(story(cluster, happen, { namespaces: ["team"], describe })).toMatchInlineSnapshot(`
    [
      "ServiceAccount default made",
      "ConfigMap kube-root-ca.crt made",
      "ConfigMap kube-root-ca.crt has test",
      "ConfigMap kube-root-ca.crt has mine",
      "ConfigMap kube-root-ca.crt has test",
      "ConfigMap kube-root-ca.crt gone",
      "ServiceAccount default gone",
      "ConfigMap kube-root-ca.crt made",
      "ConfigMap kube-root-ca.crt has test",
      "ServiceAccount default made",
    ]
  `);
});

test("a service account's token is created, created again, and deleted with the account", () => {
  const cluster = quietCluster({ nodes: 0 });
  const account = { name: "builder", namespace: "default" };
  const happen = (step: () => void) => {
    cluster.apply(serviceAccounts, { metadata: account });
    applyToken(cluster, "builder");
    step();
    cluster.edit(secrets, "default", "token", ({ data = {} }) => {
      delete data["token"];
    });
    step();
    cluster.client.delete(serviceAccounts, "default", "builder");
  };
  expect(story(cluster, happen, { describe: keysAndLabels })).toMatchInlineSnapshot(`
    [
      "ServiceAccount builder made",
      "Secret token made",
      "Secret token has ca.crt namespace token",
      "Secret token has ca.crt namespace",
      "Secret token has ca.crt namespace token",
      "ServiceAccount builder gone",
      "Secret token gone",
    ]
  `);
});

test("an unused token is marked after a year, and deleted a year later", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: (ms: number) => void) => {
    applyToken(cluster, "default");
    cluster.edit(serviceAccounts, "default", "default", (account) => {
      account.secrets = [{ name: "token" }];
    });
    step(366 * dayMs);
    step(366 * dayMs);
  };
  const describe = (object: KubeObject) => {
    if (object.kind !== "ServiceAccount") return keysAndLabels(object);
    const { secrets: list = [] } = object as { secrets?: { name?: string }[] };
    return list.map(({ name = "" }) => name).join();
  };
  expect(story(cluster, happen, { namespaces: ["default"], describe })).toMatchInlineSnapshot(`
    [
      "Secret token made",
      "ServiceAccount default has token",
      "Secret token has ca.crt namespace token",
      "Secret token has ca.crt namespace token kubernetes.io/legacy-token-invalid-since=2027-01-02",
      "Secret token gone",
      "ServiceAccount default has nothing",
    ]
  `);
});
