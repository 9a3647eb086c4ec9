// The deletion of a namespace with its contents, and its conditions.
import { describe, expect, test } from "vitest";
import { namespaceController } from "../../../worker/controllers/namespace/controller.ts";
import { serviceAccountController } from "../../../worker/controllers/service-account/controller.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

function withNamespace(): TestCluster {
  const cluster = newCluster({ controllers: [serviceAccountController, namespaceController(kinds)] });
  cluster.apply(namespaces, { metadata: { name: "a" } });
  cluster.runUntilQuiet();
  return cluster;
}

function conditions(cluster: TestCluster): Record<string, string> {
  const all = cluster.get(namespaces, "", "a").status.conditions ?? [];
  return Object.fromEntries(
    all.map(({ type, status, reason, message }) => [type, `${status} ${reason ?? ""}: ${message ?? ""}`]),
  );
}

const allGood = {
  NamespaceDeletionDiscoveryFailure: "False ResourcesDiscovered: All resources successfully discovered",
  NamespaceDeletionGroupVersionParsingFailure: "False ParsedGroupVersions: All legacy kube types successfully parsed",
  NamespaceDeletionContentFailure:
    "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
  NamespaceContentRemaining: "False ContentRemoved: All content successfully removed",
  NamespaceFinalizersRemaining: "False ContentHasNoFinalizers: All content-preserving finalizers finished",
};

function running(cluster: TestCluster, name: string, graceSeconds: number): void {
  cluster.apply(pods, {
    metadata: { namespace: "a", name },
    spec: {
      containers: [{ name: "c", image: "nginx" }],
      terminationGracePeriodSeconds: graceSeconds,
      nodeName: "node-1",
    },
  });
  cluster.client.updateStatus(pods, { ...cluster.get(pods, "a", name), status: { phase: "Running" } });
}

describe("the deletion of a namespace", () => {
  test("deletes objects of all kinds, and of no other namespace", () => {
    const cluster = withNamespace();
    for (const namespace of ["a", "default"]) {
      cluster.apply(configMaps, { metadata: { namespace, name: "mine" } });
      cluster.apply(secrets, { metadata: { namespace, name: "mine" } });
    }
    cluster.client.delete(namespaces, "", "a");
    cluster.runUntilQuiet();
    expect(cluster.client.get(namespaces, "", "a")).toBeUndefined();
    expect(cluster.client.list(configMaps, { namespace: "a" })).toEqual([]);
    expect(cluster.client.list(secrets, { namespace: "a" })).toEqual([]);
    expect(cluster.client.get(configMaps, "default", "mine")).toBeDefined();
  });

  test("deletes thousands of objects in several turns", () => {
    const cluster = withNamespace();
    for (let count = 0; count < 1_200; count++)
      cluster.apply(configMaps, { metadata: { namespace: "a", name: `c-${count}` } });
    cluster.client.delete(namespaces, "", "a");
    cluster.runUntilQuiet();
    expect(cluster.client.get(namespaces, "", "a")).toBeUndefined();
  });

  test("waits for other finalizers of the namespace after its contents are deleted", () => {
    const cluster = withNamespace();
    cluster.client.updateSubresource(namespaces, "finalize", {
      ...cluster.get(namespaces, "", "a"),
      spec: { finalizers: ["kubernetes", "example.com/own"] },
    });
    cluster.client.delete(namespaces, "", "a");
    cluster.runUntilQuiet();
    expect(cluster.get(namespaces, "", "a").spec.finalizers).toEqual(["example.com/own"]);
    expect(conditions(cluster)).toEqual(allGood);
  });
});

describe("conditions of a namespace with remaining contents", () => {
  test("report an object with a finalizer without polling, and progress when it is removed", () => {
    const cluster = withNamespace();
    cluster.apply(configMaps, { metadata: { namespace: "a", name: "held", finalizers: ["example.com/hold"] } });
    cluster.client.delete(namespaces, "", "a");
    cluster.runUntilQuiet();
    expect(cluster.get(namespaces, "", "a").status.phase).toBe("Terminating");
    expect(conditions(cluster)).toEqual({
      ...allGood,
      NamespaceContentRemaining:
        "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
      NamespaceFinalizersRemaining:
        "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    });
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
    cluster.edit(configMaps, "a", "held", (draft) => {
      delete draft.metadata.finalizers;
    });
    cluster.runUntilQuiet();
    expect(cluster.client.get(namespaces, "", "a")).toBeUndefined();
  });

  test("report pods in their grace period, which are deleted before everything else", () => {
    const cluster = withNamespace();
    running(cluster, "p", 30);
    cluster.apply(configMaps, { metadata: { namespace: "a", name: "mine" } });
    cluster.client.delete(namespaces, "", "a");
    cluster.step(0);
    expect(cluster.get(pods, "a", "p").metadata.deletionGracePeriodSeconds).toBe(30);
    expect(cluster.client.get(configMaps, "a", "mine")).toBeDefined();
    expect(conditions(cluster).NamespaceContentRemaining).toBe(
      "True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances",
    );
    cluster.client.delete(pods, "a", "p", { gracePeriodSeconds: 0 });
    cluster.step(0);
    expect(cluster.client.get(namespaces, "", "a")).toBeUndefined();
  });

  test("report pods past their grace period as a failure, without polling", () => {
    const cluster = withNamespace();
    running(cluster, "p", 10);
    cluster.client.delete(namespaces, "", "a");
    cluster.runUntilQuiet();
    expect(conditions(cluster).NamespaceDeletionContentFailure).toBe(
      "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: a for gvr: /v1, Resource=pods",
    );
    cluster.client.delete(pods, "a", "p", { gracePeriodSeconds: 0 });
    cluster.runUntilQuiet();
    expect(cluster.client.get(namespaces, "", "a")).toBeUndefined();
  });
});
