// Golden timelines of garbage collector: every event and every step, in order.
import { expect, test } from "vitest";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { atRest, timeline, withoutUid } from "../timeline.ts";

test("owners and dependents are deleted in the background, in the foreground, orphaned, and across namespaces", () => {
  const { cluster, from } = atRest();
  cluster.apply(namespaces, { metadata: { name: "other" } });
  const createMap = (name: string, owner?: string, namespace = "default") => {
    const { uid = "" } = owner ? cluster.get(configMaps, "default", owner).metadata : {};
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: owner ?? "", uid, blockOwnerDeletion: true };
    cluster.apply(configMaps, { metadata: { name, namespace, ...(owner ? { ownerReferences: [reference] } : {}) } });
  };
  createMap("grandparent");
  createMap("parent", "grandparent");
  createMap("child", "parent");
  cluster.client.delete(configMaps, "default", "grandparent", { propagation: "Foreground" });
  cluster.runUntilQuiet();
  createMap("owner");
  createMap("kept", "owner");
  cluster.client.delete(configMaps, "default", "owner", { propagation: "Orphan" });
  cluster.runUntilQuiet();
  createMap("far");
  createMap("stranger", "far", "other");
  cluster.runUntilQuiet();
  const lines = timeline(cluster, from, ["default", "other"]);
  expect(lines.filter((line) => !/kube-root-ca|ServiceAccount/.test(line)).map(withoutUid)).toMatchInlineSnapshot(`
    [
      "ConfigMap grandparent made",
      "ConfigMap parent made",
      "ConfigMap child made",
      "ConfigMap child gone",
      "ConfigMap parent gone",
      "ConfigMap grandparent gone",
      "ConfigMap owner made",
      "ConfigMap kept made",
      "ConfigMap owner gone",
      "ConfigMap far made",
      "ConfigMap stranger made",
      "Warning OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: other, name: far, uid: <uid>] does not exist in namespace "other"",
      "ConfigMap stranger gone",
    ]
  `);
});
