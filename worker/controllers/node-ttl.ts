// The TTL controller: sets how long kubelets may cache secrets and ConfigMaps. The time grows with the number of nodes.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { defineController, requestOf, watch } from "../runtime/controller.ts";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Upstream's boundaries. They overlap, so that a cluster at a boundary does not oscillate. */
const steps = [
  { min: 0, max: 100, seconds: "0" },
  { min: 90, max: 500, seconds: "15" },
  { min: 450, max: 1000, seconds: "30" },
  { min: 900, max: 2000, seconds: "60" },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: "300" },
] as const;

export const nodeTtlController = defineController({
  name: "ttl-controller",
  component: "ttl-controller",
  watches: [
    // A simulated kubelet caches nothing, and gets the annotation at registration.
    watch<Node>(nodes, function* (next) {
      if (next && !isSimulated(next)) yield requestOf(next);
    }),
  ],
  reconcile({ name }, { client }) {
    const node = client.get(nodes, "", name);
    if (!node || isSimulated(node) || node.metadata.deletionTimestamp) return undefined;
    const count = client.count(nodes);
    const { annotations = {} } = node.metadata;
    const fits = steps.filter(({ min, max }) => count >= min && count <= max);
    if (fits.some(({ seconds }) => seconds === annotations[annotation])) return undefined;
    const ttl = fits[0]?.seconds ?? "0";
    client.update(nodes, {
      ...node,
      metadata: { ...node.metadata, annotations: { ...annotations, [annotation]: ttl } },
    });
    return undefined;
  },
});
