// The TTL controller: nodes are told for how long their kubelets may keep secrets and ConfigMaps, the longer the more nodes there are.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { defineController, requestOf, watch } from "../runtime/controller.ts";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Upstream's boundaries: they overlap, so that a cluster at one of them does not swing. */
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
    // A simulated kubelet keeps nothing, and is told at its registration.
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
