// The kind Node.
import type { Node } from "../../../../shared/k8s/api/core-v1.ts";
import { copyJson } from "../../../../shared/schema/json-values.ts";
import { type Kind, defineKind } from "../../kind.ts";
import { nodeColumns, nodeColumnsBefore136 } from "./printers.ts";
import { isSimulated, keepHeartbeats, withHeartbeats } from "./simulated.ts";
import { validateNode, validateNodeUpdate } from "./validation.ts";

export const nodes: Kind<Node> = defineKind<Node>("", "v1", "nodes", {
  resourcePrefix: "minions",
  defaults: defaultNode,
  keepsStatusOnCreate: true,
  // Dynamic kubelet configuration was removed; only nodes that have it keep it.
  prepareForCreate({ spec, status }) {
    delete spec.configSource;
    delete status.config;
  },
  prepareForUpdate({ spec }, previous) {
    if (!previous.spec.configSource) delete spec.configSource;
  },
  validate: validateNode,
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
    ...validateNodeUpdate(next, previous),
  ],
  warnings: nodeWarnings,
  subresourceStrategies: {
    status: {
      // Kubelets write labels and annotations together with the status.
      prepareForUpdate: (draft, previous) => {
        draft.spec = copyJson(previous.spec);
        if (!previous.status.config) delete draft.status.config;
      },
      validateUpdate: validateNodeUpdate,
    },
  },
  decorator: {
    decorate: (node, nowMs) => (isSimulated(node) ? withHeartbeats(node, nowMs) : node),
    strip(draft, previous) {
      if (isSimulated(previous)) keepHeartbeats(draft, previous);
    },
  },
  selectableFields: ({ spec }) => ({ "spec.unschedulable": String(spec.unschedulable ?? false) }),
  columns: nodeColumns,
  inRelease: () => ({ columns: nodeColumnsBefore136 }),
});

function defaultNode({ spec, status }: Node): void {
  if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  // `podCIDR` is the first of `podCIDRs`. If they differ, `podCIDR` is used.
  if (spec.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]) spec.podCIDRs = [spec.podCIDR];
  const first = spec.podCIDRs?.[0];
  if (first) spec.podCIDR = first;
}

function nodeWarnings({ spec }: Node): string[] {
  return [
    ...(spec.configSource ? ["spec.configSource: the feature is no longer available"] : []),
    ...(spec.externalID ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"] : []),
  ];
}
