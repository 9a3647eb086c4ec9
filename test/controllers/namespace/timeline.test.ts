// Golden timelines of namespace: every event and every step, in order.
import { expect, test } from "vitest";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { atRest, timeline } from "../timeline.ts";

const labelled = (spec: object) => ({ metadata: { labels: { app: "web" } }, spec });

const nginx = (tag: string) => labelled({ containers: [{ name: "web", image: `nginx:${tag}` }] });

test("a namespace is created, and deleted with its contents", () => {
  const { cluster, from } = atRest();
  cluster.apply(namespaces, { metadata: { name: "team" } });
  cluster.runUntilQuiet();
  const held = { name: "held", namespace: "team", finalizers: ["example.com/hold"] };
  cluster.apply(configMaps, { metadata: held });
  cluster.apply(pods, { metadata: { name: "web", namespace: "team" }, spec: nginx("1.27").spec });
  cluster.runUntilQuiet();
  cluster.client.delete(namespaces, "", "team");
  cluster.step(20_000);
  cluster.edit(configMaps, "team", "held", (draft) => {
    delete draft.metadata.finalizers;
  });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from, ["", "team"])).toMatchInlineSnapshot(`
    [
      "Namespace team made",
      "ServiceAccount default made",
      "ConfigMap kube-root-ca.crt made",
      "ConfigMap held made",
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned team/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1.27"",
      "Normal Pulled: Successfully pulled image "nginx:1.27" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Namespace team: phase Terminating",
      "Pod web terminating",
      "Namespace team: conditions [NamespaceDeletionDiscoveryFailure=False/ResourcesDiscovered NamespaceDeletionGroupVersionParsingFailure=False/ParsedGroupVersions NamespaceDeletionContentFailure=False/ContentDeleted NamespaceContentRemaining=True/SomeResourcesRemain NamespaceFinalizersRemaining=False/ContentHasNoFinalizers]",
      "Pod web Succeeded",
      "Pod web gone",
      "ConfigMap kube-root-ca.crt gone",
      "Normal Scheduled: Successfully assigned team/web to a node",
      "Normal Pulling: Pulling image "nginx:1.27"",
      "Normal Pulled: Successfully pulled image "nginx:1.27" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ServiceAccount default gone",
      "Namespace team: conditions [NamespaceDeletionDiscoveryFailure=False/ResourcesDiscovered NamespaceDeletionGroupVersionParsingFailure=False/ParsedGroupVersions NamespaceDeletionContentFailure=False/ContentDeleted NamespaceContentRemaining=True/SomeResourcesRemain NamespaceFinalizersRemaining=True/SomeFinalizersRemain]",
      "ConfigMap held gone",
      "Namespace team: conditions [NamespaceDeletionDiscoveryFailure=False/ResourcesDiscovered NamespaceDeletionGroupVersionParsingFailure=False/ParsedGroupVersions NamespaceDeletionContentFailure=False/ContentDeleted NamespaceContentRemaining=False/ContentRemoved NamespaceFinalizersRemaining=False/ContentHasNoFinalizers]",
      "Namespace team gone",
    ]
  `);
});
