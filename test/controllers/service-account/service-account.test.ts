// The service account and the root CA of every namespace.
import { describe, expect, test } from "vitest";
import { rootCaController } from "../../../worker/controllers/certificates/root-ca-publisher.ts";
import { serviceAccountController } from "../../../worker/controllers/service-account/controller.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { serviceAccounts } from "../../../worker/kinds/core/service-account.ts";
import { newCluster } from "../../cluster.ts";

function started() {
  const cluster = newCluster({ controllers: [serviceAccountController, rootCaController(() => "PEM")] });
  cluster.runUntilQuiet();
  return cluster;
}

describe("the default service account of a namespace", () => {
  test("is created with the namespace, and again when it is deleted", () => {
    const cluster = started();
    cluster.apply(namespaces, { metadata: { name: "a" } });
    cluster.runUntilQuiet();
    const first = cluster.get(serviceAccounts, "a", "default").metadata.uid;
    cluster.client.delete(serviceAccounts, "a", "default");
    cluster.runUntilQuiet();
    expect(cluster.get(serviceAccounts, "a", "default").metadata.uid).not.toBe(first);
  });

  test("is not created while the namespace is being deleted", () => {
    const cluster = started();
    cluster.apply(namespaces, { metadata: { name: "a" } });
    cluster.runUntilQuiet();
    cluster.client.delete(namespaces, "", "a");
    cluster.client.delete(serviceAccounts, "a", "default");
    cluster.client.delete(configMaps, "a", "kube-root-ca.crt");
    cluster.runUntilQuiet();
    expect(cluster.client.get(serviceAccounts, "a", "default")).toBeUndefined();
    expect(cluster.client.get(configMaps, "a", "kube-root-ca.crt")).toBeUndefined();
  });

  test("is the only account that the controller manages", () => {
    const cluster = started();
    cluster.apply(serviceAccounts, { metadata: { namespace: "default", name: "robot" } });
    cluster.client.delete(serviceAccounts, "default", "robot");
    cluster.runUntilQuiet();
    expect(cluster.client.get(serviceAccounts, "default", "robot")).toBeUndefined();
  });
});

describe("the kube-root-ca.crt ConfigMap of a namespace", () => {
  test("has the certificate and upstream's description", () => {
    const cluster = started();
    const configMap = cluster.get(configMaps, "default", "kube-root-ca.crt");
    expect(configMap.data).toEqual({ "ca.crt": "PEM" });
    expect(configMap.metadata.annotations?.["kubernetes.io/description"]).toMatch(
      /^Contains a CA bundle that can be used to verify the kube-apiserver/,
    );
  });

  test("is restored after changes, except labels", () => {
    const cluster = started();
    cluster.edit(configMaps, "default", "kube-root-ca.crt", (draft) => {
      draft.data = { "ca.crt": "other", more: "x" };
      draft.metadata.annotations = { own: "kept" };
      draft.metadata.labels = { own: "kept" };
    });
    cluster.runUntilQuiet();
    const configMap = cluster.get(configMaps, "default", "kube-root-ca.crt");
    expect(configMap.data).toEqual({ "ca.crt": "PEM" });
    expect(Object.keys(configMap.metadata.annotations ?? {})).toEqual(["kubernetes.io/description", "own"]);
    expect(configMap.metadata.labels).toEqual({ own: "kept" });
    cluster.client.delete(configMaps, "default", "kube-root-ca.crt");
    cluster.runUntilQuiet();
    expect(cluster.get(configMaps, "default", "kube-root-ca.crt").data).toEqual({ "ca.crt": "PEM" });
  });
});
